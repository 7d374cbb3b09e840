import { packageVersion } from '../contract/package.js';
import type { Task } from '../output/task.js';
import { got, ServiceError } from '../rest/client.js';
import type { Values } from './form.js';

const PLAN = '/v1/configuration/plan';
const APPLY = '/v1/configuration/apply';
const PRINT = '/v1/accounts/{account_id}/configuration';

export type Plan = Awaited<ReturnType<ConfigurationService['plan']>>;
export type PlannedChange = Plan['changes'][number];

/** The service's plans of an account. */
export class ConfigurationService {
  private constructor(
    private readonly task: Task,
    private readonly account: string,
  ) {}

  /** Of the account of `--account`, else the key's. */
  static async of(task: Task): Promise<ConfigurationService> {
    const account = (await task.namedAccount()) ?? (await task.session.me()).account_id;
    return new ConfigurationService(task, account);
  }

  /** @throws ServiceError; Error for a service that cannot plan */
  plan(file: Values, prune: boolean) {
    const body = { account_id: this.account, file, prune };
    return this.#served(got(this.#client.POST(PLAN, { body })));
  }

  /** Makes the next changes of a plan. @throws ServiceError when nothing was changed */
  apply(file: Values, prune: boolean, digest: string) {
    const body = { account_id: this.account, file, prune, digest };
    return this.#served(got(this.#client.POST(APPLY, { body })));
  }

  printed(isPortable: boolean) {
    const params = { path: { account_id: this.account }, query: { is_portable: isPortable } };
    return this.#served(got(this.#client.GET(PRINT, { params })));
  }

  get #client() {
    return this.task.session.client;
  }

  async #served<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const isUnknown = error instanceof ServiceError && (error.status === 404 || error.status === 405);
      throw (isUnknown && (await this.#tooOld())) || error;
    }
  }

  async #tooOld(): Promise<Error | undefined> {
    const document: { info?: { version?: string }; paths?: object } = await got(
      this.#client.GET('/openapi.json'),
    );
    if (PLAN in (document.paths ?? {})) return undefined;
    const { api } = this.task.session.profile;
    return new Error(
      `The service at ${api} has version ${document.info?.version} and cannot plan configurations. This terminal has version ${packageVersion}: upgrade the service, or use the terminal of its version.`,
    );
  }
}
