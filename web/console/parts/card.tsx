import type { ReactNode } from 'react';

interface CardProps {
  title?: ReactNode;
  /** Beside the title. */
  side?: ReactNode;
  children: ReactNode;
  className?: string;
  /** With space around its content; tables and lists reach the edge. */
  padded?: boolean;
}

export function Card({ title, side, children, className, padded }: CardProps) {
  return (
    <section className={`card ${className ?? ''}`}>
      {(title || side) && (
        <header>
          {title && <h2>{title}</h2>}
          {side}
        </header>
      )}
      {padded ? <div className="pad">{children}</div> : children}
    </section>
  );
}

interface HeadProps {
  title: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
}

/** Heading of a screen with its actions. */
export function Head({ title, meta, actions }: HeadProps) {
  return (
    <div className="head">
      <div className="grow">
        <h1>{title}</h1>
        {meta && <div className="meta">{meta}</div>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

export function Chip({ tone = 'plain', dot, children }: { tone?: Tone; dot?: boolean; children: ReactNode }) {
  return (
    <span className={`chip ${tone}`}>
      {dot && <span className="dot" />}
      {children}
    </span>
  );
}

/** Pairs of a name, a value and a small line below. */
export function Facts({ facts, two }: { facts: [string, ReactNode, ReactNode?][]; two?: boolean }) {
  return (
    <dl className={two ? 'facts two' : 'facts'}>
      {facts.map(([name, value, small]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {small && <small>{small}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export interface Figure {
  name: string;
  value: ReactNode;
  small?: ReactNode;
  chart?: ReactNode;
}

export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ name, value, small, chart }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {small && <small>{small}</small>}
            {chart && <span className="spark">{chart}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
