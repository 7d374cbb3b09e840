import { DomainError } from '../../src/base/errors.js';
import { DownloadSlots, UploadSlots } from '../../src/scores/recordings/slots.js';

const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof DomainError ? error.code : error;
  }
  return undefined;
};

test('an account has eight, a process 32, a device one; the next is refused until one ends', () => {
  const slots = UploadSlots.of(1_000_000);
  const leave: (() => void)[] = [];
  for (let i = 0; i < 8; i += 1) leave.push(slots.enter('many', `device ${i}`));
  expect(codeOf(() => slots.enter('many', 'device 8'))).toBe('RATE_LIMITED');
  expect(codeOf(() => slots.enter('few', 'device 1'))).toBe('RATE_LIMITED');
  for (let i = 0; i < 24; i += 1) leave.push(slots.enter(`few ${i}`, `other ${i}`));
  expect(slots.busy).toBe(32);
  expect(codeOf(() => slots.enter('few', 'one more'))).toBe('RATE_LIMITED');
  leave[0]!();
  expect(codeOf(() => slots.enter('many', 'device 0'))).toBeUndefined();
  for (const end of leave.slice(1)) end();
  expect(slots.busy).toBe(1);
});

test('bytes beyond a second’s are refused, and a file of any size is taken after a pause', () => {
  const slots = UploadSlots.of(1_000_000_000);
  slots.take(2_000_000_000);
  const refused = codeOf(() => slots.take(1));
  expect(refused).toBe('RATE_LIMITED');
});

test('an account reads 32 files of the bucket at a time, an address ten, all of them 64', () => {
  const slots = new DownloadSlots();
  const leave = Array.from({ length: 10 }, () => slots.enter('many', 'one'));
  expect(codeOf(() => slots.enter('many', 'one'))).toBe('RATE_LIMITED');
  expect(codeOf(() => slots.enter('another', 'one'))).toBe('RATE_LIMITED');
  for (let n = 10; n < 32; n += 1) leave.push(slots.enter('many', n % 2 ? undefined : `address ${n}`));
  expect(codeOf(() => slots.enter('many', 'two'))).toBe('RATE_LIMITED');
  const others = Array.from({ length: 32 }, (_, n) => slots.enter(`few ${n % 4}`, undefined));
  expect(codeOf(() => slots.enter('another', undefined))).toBe('RATE_LIMITED');
  // Leaving twice frees one.
  leave[0]!();
  leave[0]!();
  expect(codeOf(() => slots.enter('another', 'one'))).toBeUndefined();
  expect(codeOf(() => slots.enter('another', undefined))).toBe('RATE_LIMITED');
  for (const end of [...leave, ...others]) end();
  expect(codeOf(() => slots.enter('many', 'two'))).toBeUndefined();
});
