import { type Command, Option } from 'commander';
import { askText, canAsk } from './input.js';
import { commandInputs, createRecord, does, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import { report, UsageError } from './output/failure.js';
import { TerminalOutput } from './output/output.js';
import { got, type LeaderboardClient, leaderboardClient, ServiceError } from './rest/client.js';
import { chosenApi, type GlobalOptions, headerPrefixOf, ownProfiles } from './session.js';

interface RegisterOptions extends GlobalOptions {
  code?: string;
  accountName?: string;
  accountSlug?: string;
  displayName?: string;
  jamCode?: string;
  resend?: boolean;
  invited?: boolean;
}

const SECONDS_A_MINUTE = 60;

/** Requests a code and says so. @returns the token of the request */
async function sendCode(client: LeaderboardClient, email: string, again: boolean): Promise<string> {
  const {
    message,
    code_expires_in: seconds,
    request_token: token,
  } = await got(
    again
      ? client.POST('/register/resend', { body: { email } })
      : client.POST('/register/initiate', { body: { email } }),
  );
  const minutes = Math.floor(seconds / SECONDS_A_MINUTE);
  process.stderr.write(`${message} The code is valid for ${minutes} minutes.\n`);
  return token;
}

/** Repeats a prompt until the service accepts the answer. @param first an answer from the command line @returns the result */
async function untilAccepted<T>(
  first: string | undefined,
  question: string,
  carryOut: (answer: string) => Promise<T>,
  refused: (error: ServiceError) => boolean,
): Promise<T> {
  let answer = first ?? (await askText(question));
  for (;;) {
    try {
      return await carryOut(answer);
    } catch (error) {
      if (!canAsk() || !(error instanceof ServiceError) || !refused(error)) throw error;
      report(error, false);
      answer = await askText(question);
    }
  }
}

function sendCompletion(
  client: LeaderboardClient,
  token: string,
  { accountName, accountSlug, displayName, jamCode }: RegisterOptions,
) {
  const body = {
    verification_token: token,
    ...(accountName !== undefined && { account_name: accountName }),
    ...(accountSlug !== undefined && { account_slug: accountSlug }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(jamCode !== undefined && { jam_code: jamCode }),
  };
  return got(client.POST('/register/complete', { body }));
}

/** Errors that another account name can resolve. */
function dislikesName({ code, message, details }: ServiceError): boolean {
  if (code === 'CONFLICT') return /account/i.test(message);
  return code === 'INVALID_SLUG' || details.some(({ loc }) => loc.includes('account_name'));
}

/** The result of a registration, from address to key, as far as it gets. */
async function runRegister(address: string | undefined, options: RegisterOptions): Promise<void> {
  const profiles = ownProfiles();
  if (profiles.read(options.profile)) {
    throw new UsageError(
      `you are already logged in with the profile "${options.profile}". Log out first, or use another with --profile <name>`,
    );
  }
  if (!canAsk()) {
    if (address === undefined) throw new UsageError("missing required argument 'email'");
    if (options.code !== undefined && options.accountName === undefined && !options.invited) {
      throw new UsageError('give the account a name with --account-name, or use --invited');
    }
  }
  const api = chosenApi(options);
  const headerPrefix = await headerPrefixOf(api);
  const client = leaderboardClient({ baseUrl: api, headerPrefix });
  const email = address ?? (await askText('Your email address?'));
  const requested =
    options.code === undefined && !options.invited
      ? await sendCode(client, email, options.resend === true)
      : undefined;
  if (options.code === undefined && !canAsk()) {
    const next = `leaderboard register ${email} --code <code> --account-name <name>`;
    process.stderr.write(`Then run, with the code from the email: ${next}\n`);
    return;
  }
  const verified = await untilAccepted(
    options.code,
    'The code from the email?',
    (code) =>
      got(client.POST('/register/verify', { body: { email, code, request_token: requested ?? null } })),
    ({ code, details }) => code === 'INVALID_CODE' || details.some(({ loc }) => loc.includes('code')),
  );
  const token = verified.verification_token;
  const done =
    verified.type === 'invite'
      ? await sendCompletion(client, token, options)
      : await untilAccepted(
          options.accountName,
          'The name of your studio?',
          (accountName) => sendCompletion(client, token, { ...options, accountName }),
          dislikesName,
        );
  const out = new TerminalOutput(process.stdout, options);
  // The key is printed before anything else can fail: it is shown only once.
  if (out.style.json) await out.record({ ...done });
  else if (out.style.quiet) out.line(done.account_id);
  else {
    out.fields([
      ['account', `${done.account_name} (${done.account_slug})`],
      ['name', done.display_name],
      ['API key', `${done.api_key}  (copy it now, it won't be shown again)`],
    ]);
  }
  profiles.save(options.profile, { api, headerPrefix, apiKey: done.api_key });
  out.say(`Logged in to ${api}. Key saved to ${profiles.file}.`);
}

export function registerCommand(program: Command): void {
  const command = program
    .command('register')
    .description('register a studio or accept an invitation; you get a code by email, and the key is saved')
    .usage('[options] <email>')
    .argument('[email]', 'your email address')
    .option('--code <code>', 'the code from the email; no new one is sent')
    .option('--account-name <name>', 'name of your studio')
    .option('--account-slug <slug>', 'its name in URLs (default: derived from the name)')
    .option('--display-name <name>', 'your name as others see it (default: derived from the address)')
    .option('--jam-code <code>', 'a promotional code')
    .option('--resend', 'send a new code; the previous one stops working')
    .addOption(new Option('--invited', 'you were invited and have the code from the invitation'));
  command.action((email: string | undefined) => runRegister(email, command.optsWithGlobals()));
}

export function inviteCommand(program: Command): void {
  const inputs = commandInputs(documentInputs('post', '/register/invite'));
  const command = takes(program.command('invite'), inputs).description(
    'invite someone to the account; they get a code by email',
  );
  does(command, async (task) => {
    const user = await createRecord(task, '/register/invite', inputs);
    task.out.say(`Invitation sent to ${String(user.email)}.`);
    await task.out.record(user);
  });
}
