// A page for React on Node; a game's own page has one.
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><main></main>', { url: 'http://localhost/' });
globalThis.window = window;
globalThis.document = window.document;
// Node 22 has one of its own.
globalThis.navigator ??= window.navigator;
