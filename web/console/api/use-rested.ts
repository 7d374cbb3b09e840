import { useEffect, useState } from 'react';

const REST_MS = 300;

/** What a form holds, once nobody has changed it for a moment. It is compared as JSON. */
export function useRested<T>(value: T): T {
  const key = JSON.stringify(value);
  const [rested, setRested] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setRested(key), REST_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return JSON.parse(rested) as T;
}
