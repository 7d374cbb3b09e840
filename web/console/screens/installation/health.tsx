import { useEffect, useState } from 'react';
import { SERVICE_PATH } from '../../api/place.js';
import { Card, Chip } from '../../parts/card.js';
import { t } from '../../texts.js';

const EVERY_MS = 10_000;
const text = t.health;

interface Health {
  service: boolean;
  database: boolean;
}

/** The service's own answer about itself: the one that load balancers ask for. */
async function readHealth(): Promise<Health> {
  try {
    const answer = await fetch(`${SERVICE_PATH}/health/ready`);
    const { database } = (await answer.json()) as { database?: string };
    return { service: answer.ok, database: database === 'ok' };
  } catch {
    return { service: false, database: false };
  }
}

export function HealthCard() {
  const [health, setHealth] = useState<Health>();
  useEffect(() => {
    const look = () => void (document.hidden || readHealth().then(setHealth));
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const parts = ['service', 'database'] as const;
  return (
    <Card title={text.title}>
      <ul className="rows">
        {parts.map((part) => (
          <li key={part}>
            {text[part]}
            <span className="right">
              {health && (
                <Chip tone={health[part] ? 'good' : 'bad'} dot>
                  {health[part] ? text.well : text.fails}
                </Chip>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
