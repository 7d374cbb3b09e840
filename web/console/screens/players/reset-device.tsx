import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Button } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { t } from '../../texts.js';

const ResetDeviceMutation = graphql(`
  mutation ResetDevice($input: ResetDeviceInput!) {
    resetDevice(input: $input) { device { id clientFingerprint } }
  }
`);

const text = t.devices;

interface ResetDeviceProps {
  device: { id: string; platform: string };
  again(): void;
  onClose(): void;
}

/** Asks first, then shows the new text, which the game on that device needs. */
export function ResetDevice({ device, again, onClose }: ResetDeviceProps) {
  const [fingerprint, setFingerprint] = useState<string>();
  const reset = useAct(ResetDeviceMutation);
  const submit = async () => {
    const answer = await reset.run({ input: { id: device.id } });
    if (!answer) return;
    setFingerprint(answer.resetDevice.device.clientFingerprint);
    again();
  };
  if (fingerprint === undefined) {
    return (
      <FormDialog
        title={text.resetOf(device.platform)}
        action={text.reset}
        look="danger"
        act={reset}
        onClose={onClose}
        onSubmit={() => void submit()}
      >
        <p>{text.resetHint}</p>
      </FormDialog>
    );
  }
  const done = (
    <Button look="primary" type="submit">
      {t.keys.noted}
    </Button>
  );
  return (
    <Dialog title={text.wasReset(device.platform)} onSubmit={onClose} footer={done}>
      <p>{text.newFingerprint}</p>
      <div className="secret">
        <code>{fingerprint}</code>
        <CopyButton text={fingerprint} />
      </div>
    </Dialog>
  );
}
