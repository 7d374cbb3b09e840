interface TreeNode<T> {
  literals: Map<string, TreeNode<T>>;
  /** A parameter at this place, whatever its name: names belong to the values. */
  parameter?: TreeNode<T>;
  value?: T;
}

function emptyNode<T>(): TreeNode<T> {
  return { literals: new Map() };
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // Left as it is: no id looks like that, so the route refuses it by its own rules.
    return segment;
  }
}

/** Finds what is kept for a path. Literal segments win over parameters; one slash at the end is ignored. */
export class PathTree<T> {
  readonly #root: TreeNode<T> = emptyNode();

  /** @param path e.g. `/v1/boards/{board_id}`; `make` is called when nothing is kept there yet */
  at(path: string, make: () => T): T {
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        node.parameter ??= emptyNode();
        node = node.parameter;
      } else {
        const next = node.literals.get(segment) ?? emptyNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    node.value ??= make();
    return node.value;
  }

  /** @returns the value and the segments that stand for parameters, decoded, in order; undefined: no such path */
  find(path: string): { value: T; parameters: string[] } | undefined {
    const parameters: string[] = [];
    let node = this.#root;
    const end = path.length > 1 && path.endsWith('/') ? -1 : undefined;
    for (const segment of path.slice(1, end).split('/')) {
      const literal = node.literals.get(segment);
      if (literal) {
        node = literal;
      } else {
        if (!node.parameter || segment === '') return undefined;
        parameters.push(decoded(segment));
        node = node.parameter;
      }
    }
    return node.value && { value: node.value, parameters };
  }
}
