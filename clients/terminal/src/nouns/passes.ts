import type { Command } from 'commander';
import { call, type JsonRecord } from '../call.js';
import { addOption, requestOf } from '../input.js';
import { confirm, requireTerminal } from '../output/confirm.js';
import { onlyPage } from '../output/inner-lists.js';
import { commandInputs, DRY_RUN, does, takes } from './commands.js';
import { documentInputs } from './document.js';
import { columns } from './noun.js';

const LIST = '/v1/boards/{board_id}/verification-passes';
const APPLY = '/v1/verification-passes/{pass_id}/apply';
const UNDO = '/v1/verification-passes/{pass_id}/undo';

const COLUMNS = columns(
  'VerificationPass',
  ['id', 'ID'],
  ['status', 'STATUS'],
  ['sent', 'SENT', 'right'],
  ['recording_count', 'RECORDINGS', 'right'],
  ['moved', 'MOVED', 'right'],
  ['created_at', 'REQUESTED', 'time'],
);

/** Adds the passes of boards, which `reverify` begins: list, apply and undo. */
export function passCommands(boards: Command): void {
  const listed = commandInputs(documentInputs('get', LIST));
  const list = takes(boards.command('passes'), listed).description('its newest passes of verification');
  does(list, async (task) => {
    const request = requestOf(await task.values(listed.needed, listed.optional));
    const found = await call<JsonRecord>(task.session.client, 'get', LIST, request);
    if (task.out.style.json) return task.out.record(found);
    await task.out.list(onlyPage(found.verification_passes as JsonRecord[]), COLUMNS);
  });
  change(boards, 'apply-pass', 'have the board follow the verdicts of a pass; undo with undo-pass', APPLY);
  change(boards, 'undo-pass', 'undo an applied pass, or end one that was not applied', UNDO);
}

function change(boards: Command, name: string, about: string, at: typeof APPLY | typeof UNDO): void {
  const inputs = documentInputs('post', at);
  const words = inputs.filter(({ where }) => where === 'path');
  const options = inputs.filter(({ name: member }) => member === 'dry_run');
  const command = takes(boards.command(name), { needed: words, optional: [], account: undefined });
  command.description(about);
  for (const input of options) addOption(command, input);
  command.option('-y, --yes', 'do not ask for confirmation');
  does(command, async (task) => {
    const { yes, dryRun } = command.opts();
    const isAsked = !yes && !dryRun;
    if (isAsked) requireTerminal(name);
    const request = requestOf(await task.values(words, options));
    if (isAsked) await confirm(`${name} ${command.args[0]}?`);
    request.body ??= {};
    const changed = await call<JsonRecord>(task.session.client, 'post', at, request);
    const { status } = (changed.verification_pass ?? changed) as JsonRecord;
    task.out.say(dryRun ? DRY_RUN : `The pass is ${status}.`);
    await task.out.record(changed);
  });
}
