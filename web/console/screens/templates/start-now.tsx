import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Choices } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { Windows } from './windows.js';

const StartSeriesMutation = graphql(`
  mutation StartSeries($input: UpdateBoardTemplateInput!) {
    updateBoardTemplate(input: $input) { boardTemplate { id nextRunAt isActive } }
  }
`);

const UNITS: Record<string, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** Length of the windows of a template in milliseconds. */
function lengthOf(interval: string): number {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day|week)s?$/.exec(interval.trim()) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}

type Rhythm = 'kept' | 'new';

const text = t.startNow;

interface StartNowProps {
  template: { id: string; name: string; nextRunAt: string; repeatInterval: string };
  onClose(): void;
  again(): void;
}

/** Creates the next board of a series now: that of the window before the next one, or of one that starts now. */
export function StartNow({ template, onClose, again }: StartNowProps) {
  const [rhythm, setRhythm] = useState<Rhythm>('kept');
  const [now] = useState(Date.now);
  const start = useAct(StartSeriesMutation);
  const length = lengthOf(template.repeatInterval);
  const next = Date.parse(template.nextRunAt);
  const back = Math.max(0, Math.ceil((next - now) / length)) * length;
  const nextRunAt = new Date(rhythm === 'new' || Number.isNaN(back) ? now : next - back).toISOString();
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
