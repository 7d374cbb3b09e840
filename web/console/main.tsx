import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './shell/console.js';
import { applyTheme } from './shell/theme.js';

applyTheme();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
