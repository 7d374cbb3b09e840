import { useRead } from '../../api/hooks.js';
import { useRested } from '../../api/use-rested.js';
import { graphql } from '../../generated/gql.js';
import type { PreviewBoardTemplateInput } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { WINDOW_TEXTS } from './texts.js';

const WindowsQuery = graphql(`
  query Windows($input: PreviewBoardTemplateInput!) {
    previewBoardTemplate(input: $input) { name startsAt endsAt madeAt fault untilSaved { name startsAt } }
  }
`);

/** Changes of a template that are not saved, or one that is not there yet. */
export type Draft = PreviewBoardTemplateInput;

/** The next five boards of a template to be, once its form rests. */
export function Upcoming({ draft }: { draft: Draft }) {
  const settled = useRested(draft);
  return settled.name && settled.nextRunAt ? <Windows draft={settled} /> : null;
}

/** The next five boards of a template with the changes of its form, or of one to be. */
export function Windows({ draft }: { draft: Draft }) {
  const { data, fault, again } = useRead(WindowsQuery, { input: draft });
  return (
    <Card title={WINDOW_TEXTS.title}>
      <Loaded data={data} fault={fault} again={again}>
        {({ previewBoardTemplate }) => (
          <ul className="rows">
            {previewBoardTemplate.map(({ name, startsAt, endsAt, madeAt, fault, untilSaved }) => (
              <li key={madeAt}>
                <span>
                  <span className="name">{name}</span>
                  <span className="block small soft">
                    <When at={startsAt ?? madeAt} /> {endsAt && '–'} {endsAt && <When at={endsAt} />}
                  </span>
                  {untilSaved && (
                    <span className="block small soft">
                      {WINDOW_TEXTS.untilSaved(untilSaved.name)}{' '}
                      {untilSaved.startsAt && <When at={untilSaved.startsAt} />}
                    </span>
                  )}
                  {fault && <span className="block small bad-text">{fault}</span>}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
