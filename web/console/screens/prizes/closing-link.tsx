import { Link } from '@tanstack/react-router';

interface ClosingLinkProps {
  slug: string;
  board: { name: string; shortCode: string };
  closing: { view?: string | null; period?: string | null; group?: string | null } | null | undefined;
}

/** A closed ranking by its names, as a link to the closings of its board. */
export function ClosingLink({ slug, board: { name, shortCode }, closing }: ClosingLinkProps) {
  const of = [closing?.view, closing?.period, closing?.group].filter(Boolean);
  return (
    <Link
      className="name"
      to="/games/$slug/boards/$code/$tab"
      params={{ slug, code: shortCode, tab: 'closings' }}
    >
      {[name, ...of].join(' · ')}
    </Link>
  );
}
