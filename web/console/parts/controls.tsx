import { type ComponentProps, type ReactNode, useEffect, useId, useState } from 'react';
import type { Fault } from '../api/fault.js';
import { type Needs, useMay } from '../api/me.js';
import { apiKey, signOut } from '../api/session.js';
import { t } from '../texts.js';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  /** Others do not see it. */
  needs?: Needs;
  /** The letter that does the same. */
  keyName?: string;
  busy?: boolean;
  /** Seconds that the service asks to wait; counted down in the button, which is disabled until then. */
  wait?: number | undefined;
}

export function Button(props: ButtonProps) {
  const { look = 'plain', needs, keyName, busy, wait, className, children, ...rest } = props;
  const left = useCountdown(wait);
  if (!useMay()(needs)) return null;
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className ?? ''}`}
      disabled={rest.disabled || busy || left > 0}
      aria-keyshortcuts={keyName?.toLowerCase()}
      aria-busy={busy || undefined}
    >
      {children}
      {left > 0 && <span>{t.wait(left)}</span>}
      {keyName && <kbd aria-hidden="true">{keyName}</kbd>}
    </button>
  );
}

function useCountdown(seconds: number | undefined): number {
  const [left, setLeft] = useState(seconds ?? 0);
  useEffect(() => {
    setLeft(seconds ?? 0);
    if (!seconds) return;
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1_000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Only screen readers get the label. */
  bare?: boolean;
  children(ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean | undefined }): ReactNode;
}

/** Label, hint and fault of a control. */
export function Field({ label, hint, error, bare, children }: FieldProps) {
  const id = useId();
  return (
    <div className={bare ? 'field bare' : 'field'}>
      <label className={bare ? 'hidden-text' : undefined} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': `${id}-hint ${id}-error`,
        'aria-invalid': error ? true : undefined,
      })}
      {error && (
        <span className="error" id={`${id}-error`}>
          {error}
        </span>
      )}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

type Described = Pick<FieldProps, 'label' | 'hint' | 'error' | 'bare'>;

type InputProps = Described &
  Omit<ComponentProps<'input'>, 'onChange' | 'value'> & { value: string; onText(text: string): void };

export function TextField({ label, hint, error, bare, onText, ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error} bare={bare}>
      {(ids) => (
        <input
          autoComplete="off"
          {...rest}
          {...ids}
          className={`input ${rest.className ?? ''}`}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}

type SelectProps<T extends string> = Described & {
  value: T;
  options: readonly (readonly [T, string])[];
  onPick(value: T): void;
  disabled?: boolean;
};

export function SelectField<T extends string>(props: SelectProps<T>) {
  const { label, hint, error, bare, value, options, onPick, disabled } = props;
  return (
    <Field label={label} hint={hint} error={error} bare={bare}>
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={value}
          disabled={disabled}
          onChange={(event) => onPick(event.target.value as T)}
        >
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ChoiceProps<T extends string> {
  legend: string;
  value: T;
  options: readonly (readonly [T, string, string])[];
  onPick(value: T): void;
  columns?: boolean;
}

/** Radio buttons as cards, each with the sentence that explains it. */
export function Choices<T extends string>({ legend, value, options, onPick, columns }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={columns ? 'choices columns' : 'choices'}>
      <legend className="hidden-text">{legend}</legend>
      {options.map(([key, title, sentence]) => (
        <label className="choice" key={key}>
          <input type="radio" name={name} checked={key === value} onChange={() => onPick(key)} />
          <b>{title}</b>
          <span>{sentence}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CheckProps {
  label: string;
  checked: boolean;
  onPick(checked: boolean): void;
}

export function Check({ label, checked, onPick }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onPick(event.target.checked)} />
      {label}
    </label>
  );
}

/** The failure of an action, next to its button. */
export function ActionFault({ fault }: { fault: Fault | undefined }) {
  if (!fault) return null;
  return (
    <p className="note bad" role="alert">
      <span>
        {fault.message}
        {Object.entries(fault.fields).map(([name, sentence]) => (
          <span className="block" key={name}>
            {name}: {sentence}
          </span>
        ))}
        {fault.requestId && <span className="mono block faint-text">{t.requestId(fault.requestId)}</span>}
      </span>
      {fault.code === 'PASSKEY_REQUIRED' && apiKey.get() !== null && (
        <Button onClick={signOut}>{t.signInAgain}</Button>
      )}
    </p>
  );
}
