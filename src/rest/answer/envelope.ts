/** A connection as the operations of lists select it, in REST's spelling. */
export interface SelectedConnection {
  nodes: unknown[];
  page_info: {
    has_next_page: boolean;
    has_previous_page: boolean;
    start_cursor: string | null;
    end_cursor: string | null;
  };
}

/** The response of every list (service-interface.md, "Paginated list envelope"). */
export interface ListEnvelope {
  data: unknown[];
  pagination: {
    count: number;
    has_next: boolean;
    has_prev: boolean;
    next_cursor: string | null;
    prev_cursor: string | null;
  };
}

/** Converts a connection to REST's list, for all lists (decisions.md section 12). */
export function listEnvelope({ nodes, page_info: page }: SelectedConnection): ListEnvelope {
  return {
    data: nodes,
    pagination: {
      count: nodes.length,
      has_next: page.has_next_page,
      has_prev: page.has_previous_page,
      next_cursor: page.has_next_page ? page.end_cursor : null,
      prev_cursor: page.has_previous_page ? page.start_cursor : null,
    },
  };
}
