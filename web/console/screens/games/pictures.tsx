import { useRef } from 'react';
import { type PictureKind, pictureHere, usePicture } from '../../api/pictures.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const text = t.gameForm;

interface PicturesProps {
  game: { id: string; logoUrl?: string | null; coverUrl?: string | null };
  again(): void;
}

/** Logo and cover of a game; each is saved when it is chosen. */
export function Pictures({ game, again }: PicturesProps) {
  return (
    <div className="form-grid">
      <section className="card section">
        <header>
          <h2>{text.pictures}</h2>
          <p className="hint">{text.picturesHint}</p>
        </header>
        <div className="pair-fields">
          <PictureField gameId={game.id} kind="logo" url={game.logoUrl} again={again} />
          <PictureField gameId={game.id} kind="cover" url={game.coverUrl} again={again} />
        </div>
      </section>
    </div>
  );
}

interface PictureFieldProps {
  gameId: string;
  kind: PictureKind;
  url: string | null | undefined;
  again(): void;
}

function PictureField({ gameId, kind, url, again }: PictureFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const picture = usePicture(gameId, kind);
  const change = async (file: File | null) => {
    if (!(await picture.run(file))) return;
    say(file ? text.set[kind] : text.removed[kind]);
    again();
  };
  return (
    <div className="field">
      <b>{text[kind]}</b>
      {url ? (
        <img className={`picture ${kind}`} src={pictureHere(url)} alt={text[kind]} />
      ) : (
        <span className={`picture ${kind} faint-text`}>{text.noPicture}</span>
      )}
      <span className="hint">{kind === 'logo' ? text.logoHint : text.coverHint}</span>
      <input
        ref={input}
        className="hidden-text"
        type="file"
        tabIndex={-1}
        aria-label={text.choose[kind]}
        accept="image/png,image/jpeg,image/webp"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void change(file);
          event.target.value = '';
        }}
      />
      <div className="actions">
        <Button busy={picture.busy} onClick={() => input.current?.click()}>
          {text.choose[kind]}
        </Button>
        {url && (
          <Button look="quiet" busy={picture.busy} onClick={() => void change(null)}>
            {text.remove[kind]}
          </Button>
        )}
      </div>
      <ActionFault fault={picture.fault} />
    </div>
  );
}
