import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Choices } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { say } from '../../parts/toast.js';
import { START_TEXTS } from './texts.js';
import { Windows } from './windows.js';

const StartSeriesMutation = graphql(`
  mutation StartSeries($input: UpdateBoardTemplateInput!) {
    updateBoardTemplate(input: $input) { boardTemplate { id nextRunAt isActive } }
  }
`);

type Rhythm = 'kept' | 'new';

const text = START_TEXTS;

interface StartNowProps {
  template: { id: string; name: string; windowStartsAt: string };
  onClose(): void;
  again(): void;
}

/** Creates the next board of a series now: that of the present window, or of one that starts now. */
export function StartNow({ template, onClose, again }: StartNowProps) {
  const [rhythm, setRhythm] = useState<Rhythm>('kept');
  const [now] = useState(() => new Date().toISOString());
  const start = useAct(StartSeriesMutation);
  const nextRunAt = rhythm === 'new' ? now : template.windowStartsAt;
  const submit = async () => {
    if (!(await start.run({ input: { id: template.id, nextRunAt, isActive: true } }))) return;
    say(text.done(template.name));
    again();
    onClose();
  };
  return (
    <FormDialog
      title={text.title}
      action={text.action}
      act={start}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Choices<Rhythm> legend={text.title} value={rhythm} options={text.rhythms} onPick={setRhythm} />
      <Windows draft={{ id: template.id, nextRunAt }} />
    </FormDialog>
  );
}
