import { canonicalEmail, isUnprovenAddress, unprovenAddress } from '../../src/base/email-address.js';

test('an address has one spelling: lower case, its domain in ASCII', () => {
  const spellings = [
    ['ann@example.com', 'ann@example.com'],
    ['Ann.Smith+Games@EXAMPLE.Com', 'ann.smith+games@example.com'],
    ['ÄRGER@Straße.example', 'ärger@xn--strae-oqa.example'],
    ['ärger@STRAẞE.example', 'ärger@xn--strae-oqa.example'],
    ['ärger@XN--STRAE-OQA.example', 'ärger@xn--strae-oqa.example'],
    ['admin@localhost', 'admin@localhost'],
    ["o'neil_{x}@b.cd", "o'neil_{x}@b.cd"],
    [`${'n'.repeat(64)}@${'d'.repeat(181)}.example`, `${'n'.repeat(64)}@${'d'.repeat(181)}.example`],
  ];
  for (const [text, canonical] of spellings) {
    expect(canonicalEmail(text!)).toBe(canonical);
    expect(canonicalEmail(canonical!)).toBe(canonical);
  }
});

test('no other spelling of a mailbox is an address', () => {
  const refused = [
    '<ann@example.com>',
    'Ann <ann@example.com>',
    '"ann"@example.com',
    'ann(work)@example.com',
    'ann@example.com(work)',
    'ann@example.com.',
    'ann.@example.com',
    '.ann@example.com',
    'a..n@example.com',
    'ann@example..com',
    'ann@@example.com',
    'ann@x@example.com',
    'ann@',
    '@example.com',
    'ann',
    ' ann@example.com',
    'ann@example.com\n',
    'ａｎｎ@example.com',
    'ann@ｅxample.com',
    'ann＠example.com',
    'an\u212a@example.com',
    'a\u0308nn@example.com',
    'an\u200bn@example.com',
    'ann@exam\u00adple.com',
    'ann\ufe0f@example.com',
    'ann\u202e@example.com',
    'ann\u{e0061}@example.com',
    'ann@example\u3002com',
    'ann@ex%61mple.com',
    'ann@-example.com',
    'ann@xn--a.com',
    'ann@[127.0.0.1]',
    'ann@127.0.0.1',
    'ann@0x7f.1',
    'ann,ben@example.com',
    'ann;@example.com',
    'ann\\@example.com',
    `${'n'.repeat(65)}@example.com`,
    `${'ä'.repeat(33)}@example.com`,
    `ann@${'d.'.repeat(124)}com`,
    `ann@${'ü.'.repeat(60)}com`,
    '\ud800@example.com',
  ];
  expect(refused.filter((text) => canonicalEmail(text) !== undefined)).toEqual([]);
});

test('the substitute for an address that was given up is a valid address without a mailbox', () => {
  const address = unprovenAddress('usr_01890000-0000-7000-8000-000000000000');
  expect(canonicalEmail(address)).toBe(address);
  expect([address, 'ann@example.com'].map(isUnprovenAddress)).toEqual([true, false]);
});
