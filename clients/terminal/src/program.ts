import type { Command } from 'commander';
import { createKeyCommand, loginCommand, logoutCommand, whoamiCommand } from './access.js';
import { openCommand } from './boards/open.js';
import { closingPreviewCommand } from './closing-preview.js';
import { configurationCommands } from './configuration.js';
import { packageVersion } from './contract/package.js';
import { auditExportCommand, exportCommand } from './export.js';
import { historyCommand } from './history.js';
import { importCommand } from './imports/command.js';
import { nounCommand } from './nouns/commands.js';
import type { Noun } from './nouns/noun.js';
import { passCommands } from './nouns/passes.js';
import { playNouns } from './nouns/play.js';
import { studioNouns } from './nouns/studio.js';
import { moveCommand, operatorCommands } from './operator.js';
import { completionCommands } from './output/completion.js';
import { GuessingCommand } from './output/guesses.js';
import { groupHelp } from './output/help.js';
import { pictureCommands } from './pictures.js';
import { amongCommand, friendsCommand } from './players/friends.js';
import { personalCommands } from './players/personal.js';
import { playerTagsCommand } from './players/player-tags.js';
import { inviteCommand, registerCommand } from './register.js';
import { aroundCommand, submitCommand } from './scores.js';
import { DEFAULT_API } from './session.js';
import { submitFileCommand } from './submit-file.js';
import { viewCommands } from './views.js';
import { listenCommand } from './webhooks/listen.js';
import { redeliverCommand } from './webhooks/redeliver.js';

/** All nouns that have a command. */
export const nouns: Noun[] = [...studioNouns, ...playNouns];

const AFTER_HELP = `
Games are named by slug or id, boards by short code, game/slug or id, users by address, keys by prefix.
Environment: LEADERBOARD_API, LEADERBOARD_API_KEY, LEADERBOARD_PROFILE, LEADERBOARD_CELL, HTTPS_PROXY, NO_PROXY, NO_COLOR.
Exit codes: 0 done, 1 the service or the network refused, 2 the command or its file is not valid,
3 a plan with changes, 4 an import without the lines that were refused.

Start with: leaderboard register   (or login)`;

/** Builds the whole command line. Its errors are thrown, where commander would end the process. */
export function makeProgram(): Command {
  const program = new GuessingCommand('leaderboard')
    .description('Leaderboards from a terminal: games, boards, scores, players, keys.')
    .version(packageVersion)
    .option('--api <url>', `URL of the service (default: from the profile, or ${DEFAULT_API})`)
    .option('--profile <name>', 'which stored key to use', process.env.LEADERBOARD_PROFILE || 'default')
    .option('--account <account>', 'account to act in (slug or id)')
    .option('--cell <name>', 'cell to act in (superadmins at a gateway)')
    .option('--json', 'print the raw response')
    .option('-q, --quiet', 'print ids only')
    .commandsGroup('Shell:')
    .helpCommand('help [command]', 'display help for a command')
    .showHelpAfterError('(add --help for commands and options)')
    .exitOverride()
    .addHelpText('after', AFTER_HELP);
  registerCommand(program);
  inviteCommand(program);
  loginCommand(program);
  logoutCommand(program);
  whoamiCommand(program);
  openCommand(program);
  exportCommand(program);
  configurationCommands(program);
  importCommand(program);
  operatorCommands(program);
  for (const noun of nouns) {
    const command = nounCommand(program, noun);
    if (noun.name === 'scores') {
      aroundCommand(command, noun);
      amongCommand(command, noun);
      submitCommand(command);
      submitFileCommand(command);
    }
    if (['accounts', 'games', 'boards'].includes(noun.name)) historyCommand(command, noun);
    if (noun.name === 'boards') closingPreviewCommand(command);
    if (noun.name === 'accounts') moveCommand(command);
    if (noun.name === 'audit') auditExportCommand(command);
    if (noun.name === 'boards') passCommands(command);
    if (noun.name === 'boards') viewCommands(command);
    if (noun.name === 'games') pictureCommands(command);
    if (noun.name === 'players') {
      friendsCommand(command, noun);
      playerTagsCommand(command);
      personalCommands(command);
    }
    if (noun.name === 'webhooks') {
      redeliverCommand(command);
      listenCommand(command);
    }
    if (noun.name === 'keys') createKeyCommand(command);
  }
  completionCommands(program);
  groupHelp(program);
  return program;
}
