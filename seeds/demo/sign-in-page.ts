/** The page of the sign-in link. Its addresses are relative: it works below a prefix of a proxy. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Demo: sign in</title>
<link rel="stylesheet" href="demo/page.css">
<link rel="icon" href="data:,">
<script src="demo/page.js" defer></script>
</head>
<body>
<main>
<h1>Demo</h1>
<p id="state" role="status">Signing in…</p>
<p><a href="console">Console</a></p>
</main>
</body>
</html>
`;

/** The names in sessionStorage are those of the console (web/console/api/session.ts). */
export const SCRIPT = `const code = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const say = (text) => { document.getElementById('state').textContent = text; };
async function signIn() {
  const response = await fetch('demo/sign-in', { method: 'POST', headers: { 'demo-code': code } });
  const { id, key, message } = await response.json();
  if (!response.ok) return say(message);
  sessionStorage.setItem('console:key', key);
  sessionStorage.setItem('console:own-key', id);
  location.replace('console');
}
signIn().catch(() => say('The service does not answer. Is the demo running?'));
`;

export const STYLE = `:root { color-scheme: light dark; --canvas: #f7f8fa; --ink: #12151a; --accent: #2a56c6; }
@media (prefers-color-scheme: dark) { :root { --canvas: #0d0f13; --ink: #eef0f4; --accent: #8fb0ff; } }
body { margin: 0; background: var(--canvas); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.375rem; font-weight: 600; }
a { color: var(--accent); }
`;
