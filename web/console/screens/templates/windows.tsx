import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Card } from '../../parts/card.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';

const WindowsQuery = graphql(`
  query Windows($id: ID!, $input: PreviewBoardTemplateInput!) {
    previewBoardTemplate(id: $id, input: $input) { name startsAt endsAt madeAt fault }
  }
`);

/** Changes of a template that are not saved. */
export interface Draft {
  name?: string;
  nameTemplate?: string | null;
  repeatInterval?: string;
  nextRunAt?: string;
}

/** The next five boards of a template, with the changes of its form. */
export function Windows({ id, draft }: { id: string; draft: Draft }) {
  const { data, fault, again } = useRead(WindowsQuery, { id, input: draft });
  return (
    <Card title={t.windows.title}>
      <Loaded data={data} fault={fault} again={again}>
        {({ previewBoardTemplate }) => (
          <ul className="rows">
            {previewBoardTemplate.map(({ name, startsAt, endsAt, madeAt, fault }) => (
              <li key={madeAt}>
                <span>
                  <span className="name">{name}</span>
                  <span className="block small soft">
                    <When at={startsAt ?? madeAt} /> {endsAt && '–'} {endsAt && <When at={endsAt} />}
                  </span>
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
