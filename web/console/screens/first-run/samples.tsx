import { useState } from 'react';
import { beginningsFor } from '../../../../src/rest/docs/client-samples.js';
import { SERVICE_PATH } from '../../api/place.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/copy-button.js';
import { t } from '../../texts.js';

/** The lines with which a game begins, with each client, for this board. */
export function Samples({ gameId, boardId }: { gameId: string | undefined; boardId: string | undefined }) {
  const [language, setLanguage] = useState('TypeScript');
  const samples = beginningsFor({
    BASE: `${location.origin}${SERVICE_PATH}`,
    GAME: gameId ?? 'gam_…',
    BOARD: boardId ?? 'brd_…',
  });
  const { text, guide } = samples.find((sample) => sample.language === language)!;
  return (
    <aside>
      <Card
        padded
        title={t.samples.title}
        side={
          <fieldset className="segments">
            <legend className="hidden-text">{t.samples.language}</legend>
            {samples.map(({ language: name }) => (
              <button
                type="button"
                key={name}
                aria-pressed={name === language}
                onClick={() => setLanguage(name)}
              >
                {name}
              </button>
            ))}
          </fieldset>
        }
      >
        <p className="small soft">{t.samples.hint}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard. */}
        <pre tabIndex={0}>{text}</pre>
        <div className="actions">
          <CopyButton text={text} />
          <a className="button quiet" href={`${SERVICE_PATH}/guides/${guide}`}>
            {t.samples.guide}
          </a>
        </div>
      </Card>
    </aside>
  );
}
