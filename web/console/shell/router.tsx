import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { CONSOLE_PATH } from '../api/place.js';
import { Overview } from '../screens/overview/overview.js';
import { Broken, NotFound } from './not-found.js';
import { Shell } from './shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const under = <const P extends string>(path: P) => ({ getParentRoute: () => root, path });

/** The named search parameters that are texts; others are dropped. */
function texts<const N extends string>(...names: N[]) {
  return (search: Record<string, unknown>): { [K in N]?: string } => {
    const found: Record<string, string> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' || typeof value === 'number') found[name] = String(value);
    }
    return found as { [K in N]?: string };
  };
}

const tree = root.addChildren([
  createRoute({ ...under('/'), component: Overview }),
  createRoute({
    ...under('/moderation'),
    validateSearch: texts('game', 'kind', 'confidence', 'tier', 'board', 'flag'),
    component: lazyRouteComponent(() => import('../screens/queue/queue.js'), 'Queue'),
  }),
  createRoute({
    ...under('/games'),
    component: lazyRouteComponent(() => import('../screens/games/games.js'), 'Games'),
  }),
  createRoute({
    ...under('/games/$slug'),
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/games/$slug/boards', params });
    },
  }),
  createRoute({
    ...under('/games/$slug/settings'),
    component: lazyRouteComponent(() => import('../screens/games/game-settings.js'), 'GameSettings'),
  }),
  createRoute({
    ...under('/games/$slug/boards'),
    validateSearch: texts('q', 'state'),
    component: lazyRouteComponent(() => import('../screens/boards/boards.js'), 'Boards'),
  }),
  createRoute({
    ...under('/games/$slug/boards/new'),
    validateSearch: texts('from'),
    component: lazyRouteComponent(() => import('../screens/boards/new-board.js'), 'NewBoard'),
  }),
  createRoute({
    ...under('/games/$slug/boards/$code/$tab'),
    validateSearch: texts('view', 'period', 'group'),
    component: lazyRouteComponent(() => import('../screens/board/board.js'), 'BoardScreen'),
  }),
  createRoute({
    ...under('/games/$slug/templates'),
    component: lazyRouteComponent(() => import('../screens/templates/templates.js'), 'Templates'),
  }),
  createRoute({
    ...under('/games/$slug/templates/$id'),
    component: lazyRouteComponent(() => import('../screens/templates/template.js'), 'TemplateScreen'),
  }),
  createRoute({
    ...under('/games/$slug/players'),
    validateSearch: texts('q'),
    component: lazyRouteComponent(() => import('../screens/players/players.js'), 'Players'),
  }),
  createRoute({
    ...under('/games/$slug/players/$id'),
    component: lazyRouteComponent(() => import('../screens/players/player.js'), 'PlayerScreen'),
  }),
  createRoute({
    ...under('/games/$slug/fair-play'),
    component: lazyRouteComponent(() => import('../screens/fair-play/fair-play.js'), 'FairPlay'),
  }),
  createRoute({
    ...under('/games/$slug/providers'),
    component: lazyRouteComponent(() => import('../screens/providers/providers.js'), 'Providers'),
  }),
  createRoute({
    ...under('/people'),
    component: lazyRouteComponent(() => import('../screens/people/people.js'), 'People'),
  }),
  createRoute({
    ...under('/webhooks'),
    component: lazyRouteComponent(() => import('../screens/webhooks/webhooks.js'), 'Webhooks'),
  }),
  createRoute({
    ...under('/security'),
    component: lazyRouteComponent(() => import('../screens/security/security.js'), 'Security'),
  }),
  createRoute({
    ...under('/audit'),
    validateSearch: texts('action', 'game', 'user', 'subject', 'from', 'until'),
    component: lazyRouteComponent(() => import('../screens/audit/audit.js'), 'Audit'),
  }),
  createRoute({
    ...under('/deleted'),
    validateSearch: texts('kind'),
    component: lazyRouteComponent(() => import('../screens/deleted/deleted.js'), 'Deleted'),
  }),
  createRoute({
    ...under('/set-up'),
    component: lazyRouteComponent(() => import('../screens/first-run/first-run.js'), 'FirstRun'),
  }),
  createRoute({
    ...under('/installation/accounts'),
    component: lazyRouteComponent(() => import('../screens/installation/accounts.js'), 'Accounts'),
  }),
  createRoute({
    ...under('/installation/jam-codes'),
    component: lazyRouteComponent(() => import('../screens/installation/jam-codes.js'), 'JamCodes'),
  }),
  createRoute({
    ...under('/installation/jobs'),
    component: lazyRouteComponent(() => import('../screens/installation/jobs.js'), 'Jobs'),
  }),
  createRoute({ ...under('/more'), component: lazyRouteComponent(() => import('./more.js'), 'More') }),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: CONSOLE_PATH,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Broken message={String(error)} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
