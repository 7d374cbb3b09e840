import { parentPort } from 'node:worker_threads';
import { decode as decodeJpeg } from '@cwasm/jpeg-turbo';
import { decode as decodePng } from '@cwasm/lodepng';
import { decode as decodeWebp } from '@cwasm/webp';
import type { DecodeWork } from './decode.js';
import type { ThreadAnswer } from './thread.js';

const DECODERS = { 'image/png': decodePng, 'image/jpeg': decodeJpeg, 'image/webp': decodeWebp };

function answerOf({ type, bytes }: DecodeWork): ThreadAnswer<{ width: number; height: number }> {
  try {
    const { width, height } = DECODERS[type](bytes);
    return { done: { width, height } };
  } catch (error) {
    return { fault: String(error) };
  }
}

parentPort!.on('message', (work: DecodeWork) => parentPort!.postMessage(answerOf(work)));
