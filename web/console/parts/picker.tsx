import { useEffect, useState } from 'react';
import type { Fault } from '../api/fault.js';
import { t } from '../texts.js';
import { Button, TextField } from './controls.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';
import { Loaded } from './states.js';

export interface Choice {
  id: string;
  name: string;
  /** Shown beside the name. */
  more?: string | undefined;
}

interface Found {
  data: { choices: Choice[]; hasMore: boolean } | undefined;
  fault: Fault | undefined;
  again(): void;
}

interface PickerProps {
  title: string;
  /** Of the field. */
  label: string;
  /** What is said when nothing is found. @param text empty: there is nothing at all */
  none(text: string): string;
  /** The choice of no record; undefined: one has to be chosen. */
  all?: string;
  chosen: string | undefined;
  /** Reads the records that a text names; without a text, the first ones. */
  useFound(text: string): Found;
  onPick(id: string | undefined): void;
  onClose(): void;
}

const PAUSE_MS = 120;

/** Chooses a record among any number, by typing. */
export function Picker({ title, label, none, all, chosen, useFound, onPick, onClose }: PickerProps) {
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, fault, again } = useFound(sought);
  const pick = (id: string | undefined) => {
    onClose();
    onPick(id);
  };
  const submit = () => {
    const first = sought === typed.trim() ? data?.choices[0] : undefined;
    if (first) pick(first.id);
  };
  const line = ({ id, name, more }: Omit<Choice, 'id'> & { id: string | undefined }) => (
    <li key={id ?? ''}>
      <button type="button" aria-current={id === chosen || undefined} onClick={() => pick(id)}>
        <span className="name">{name}</span> <span className="small soft">{more}</span>
        {id === chosen && <Icon name="check" />}
      </button>
    </li>
  );
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <Button look="quiet" onClick={onClose}>
          {t.cancel}
        </Button>
      }
    >
      <TextField label={label} type="search" maxLength={64} value={typed} onText={setTyped} autoFocus />
      <Loaded data={data} fault={fault} again={again} rows={4}>
        {({ choices, hasMore }) => (
          <>
            <ul className="choices-list">
              {all !== undefined && sought === '' && line({ id: undefined, name: all })}
              {choices.map(line)}
            </ul>
            <p className="hint" role="status">
              {choices.length === 0 ? none(sought) : hasMore ? t.moreToFind : ''}
            </p>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
