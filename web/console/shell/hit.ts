import type { LinkProps } from '@tanstack/react-router';
import type { HitFragment } from '../generated/graphql.js';
import type { router } from './router.js';

interface Place {
  name: string;
  /** What tells it from others of its name. */
  detail: string;
  link: Pick<LinkProps<'a', typeof router>, 'to' | 'params'>;
}

/** The screen of a record; undefined: it has none. */
export function placeOf(hit: HitFragment): Place | undefined {
  switch (hit.__typename) {
    case 'Board': {
      if (!hit.game) return undefined;
      const params = { slug: hit.game.slug, code: hit.shortCode, tab: 'live' };
      return {
        name: hit.name,
        detail: `${hit.game.name} · ${hit.shortCode}`,
        link: { to: '/games/$slug/boards/$code/$tab', params },
      };
    }
    case 'Identity': {
      if (!hit.game) return undefined;
      const params = { slug: hit.game.slug, id: hit.id };
      return {
        name: hit.displayName || hit.id,
        detail: hit.game.name,
        link: { to: '/games/$slug/players/$id', params },
      };
    }
    case 'BoardTemplate': {
      if (!hit.game) return undefined;
      const params = { slug: hit.game.slug, id: hit.id };
      return { name: hit.name, detail: hit.game.name, link: { to: '/games/$slug/templates/$id', params } };
    }
    case 'Game':
      return {
        name: hit.name,
        detail: hit.slug,
        link: { to: '/games/$slug/boards', params: { slug: hit.slug } },
      };
    case 'Account':
      return { name: hit.name, detail: hit.slug, link: { to: '/' } };
    case 'User':
      return { name: hit.displayName, detail: hit.email, link: { to: '/people' } };
    case 'ApiKey':
      return { name: hit.name, detail: `${hit.prefix}…`, link: { to: '/people' } };
    case 'JamCode':
      return { name: hit.code, detail: hit.description, link: { to: '/installation/jam-codes' } };
    default:
      return undefined;
  }
}
