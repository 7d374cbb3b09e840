import type { Answer, Caller, Data } from './http.js';
import { until } from './wait.js';

/** Imports over REST, as one administrator. */
export class ImportClient {
  constructor(private readonly admin: () => Caller) {}

  async begin(boardId: string, input: Data = {}): Promise<string> {
    const { status, body } = await this.admin().post(`/v1/boards/${boardId}/imports`, input);
    expect(status).toBe(201);
    return body.id;
  }

  send(id: string, number: number, content: string, more: Data = {}): Promise<Answer<Data>> {
    return this.admin().post(`/v1/imports/${id}/chunks`, { number, format: 'csv', content, ...more });
  }

  async read(id: string): Promise<Data> {
    return (await this.admin().get(`/v1/imports/${id}`)).body;
  }

  /** Finishes the import and waits until the board shows it. */
  async finish(id: string): Promise<Data> {
    expect((await this.admin().post(`/v1/imports/${id}/finish`, {})).status).toBe(200);
    await until(async () => (await this.read(id)).status === 'finished');
    return this.read(id);
  }

  /** Imports chunks to the end. */
  async bringIn(boardId: string, chunks: string[], input: Data = {}): Promise<Data> {
    const id = await this.begin(boardId, input);
    for (const [number, content] of chunks.entries()) {
      const { status, body } = await this.send(id, number, content);
      expect([status, body.bad]).toEqual([200, []]);
    }
    return this.finish(id);
  }
}
