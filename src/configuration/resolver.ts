import type pg from 'pg';
import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { COSTLY, Turns } from '../base/limits.js';
import { adminOf } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { Once } from '../graphql/engine/cost.js';
import { enumOf } from '../graphql/enums.js';
import { Allow } from '../graphql/rights.js';
import { IdArg, IsIdOf, MaxLength } from '../graphql/rules.js';
import { ConfigurationJson } from '../graphql/scalars.js';
import { type ApplyRules, applyConfiguration } from './apply.js';
import { countScores, type Plan, type PlannedChange, planConfiguration } from './plan.js';
import { printConfiguration } from './print.js';
import type { Refusal } from './refusals.js';

const ConfigurationAction = enumOf('ConfigurationAction', 'What a plan does with a record.', {
  create: 'It creates it.',
  update: 'It changes it.',
  delete: 'It deletes it.',
});

const ConfigurationKind = enumOf('ConfigurationKind', 'Kinds of records of a configuration.', {
  game: 'A game.',
  board: 'A board.',
  template: 'A board template.',
  webhook: 'A webhook endpoint.',
});

@InputType({ description: 'The configuration that an account is to have.' })
class PlanConfigurationInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => ConfigurationJson, { description: 'The configuration.' })
  file!: object;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: records that are not in the file are deleted. Default: false.',
  })
  prune?: boolean | null;
}

@InputType({
  description: 'The configuration that an account is to have, and the state that was planned for.',
})
class ApplyConfigurationInput extends PlanConfigurationInput {
  @MaxLength(64)
  @Field(() => String, { description: '`digest` of the plan, or of the previous call.' })
  digest!: string;
}

@ObjectType({ description: 'A change that makes a configuration that of a file.', simpleResolvers: true })
class ConfigurationChange {
  @Field(() => ConfigurationAction, { description: 'What is done with the record.' })
  action!: PlannedChange['action'];

  @Field(() => ConfigurationKind, { description: 'The kind of the record.' })
  kind!: PlannedChange['kind'];

  @Field(() => String, { description: 'Its name, after that of its game: `Sky Race / High score`.' })
  name!: string;

  @Field(() => ID, { nullable: true, description: 'The id of the record. Null: it does not exist yet.' })
  id!: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Its place in the file, e.g. `games`, `0`, `boards`, `1`. Null: it is not in the file.',
  })
  path!: string[] | null;

  @Field(() => ConfigurationJson, {
    nullable: true,
    description: 'The values that change as they are, by their names in the file. Null unless `UPDATE`.',
  })
  before!: object | null;

  @Field(() => ConfigurationJson, {
    nullable: true,
    description: 'The values that are set. Addresses are shown by host and fingerprint. Null for `DELETE`.',
  })
  after!: object | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Scores that are ranked again, or deleted with their board. Null: none are concerned.',
  })
  scoreCount!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Boards that are deleted with their game. Null: it is no game.',
  })
  boardCount!: number | null;
}

@ObjectType({ description: 'A record that a file does not have.', simpleResolvers: true })
class ConfigurationRecord {
  @Field(() => ConfigurationKind, { description: 'The kind of the record.' })
  kind!: PlannedChange['kind'];

  @Field(() => String, { description: 'Its name, after that of its game.' })
  name!: string;

  @Field(() => ID, { description: 'The id of the record.' })
  id!: string;
}

@ObjectType({ description: 'Why a record cannot become what the file says.', simpleResolvers: true })
class ConfigurationRefusal {
  @Field(() => [String], { description: 'Place of the value, or of its record, in the file.' })
  path!: string[];

  @Field(() => String, { description: 'The code with which the write would fail.' })
  code!: Refusal['code'];

  @Field(() => String, {
    description: "The write's sentence. Of a single field, it continues the field's name.",
  })
  message!: string;
}

@ObjectType({ description: "What makes an account's configuration that of a file.", simpleResolvers: true })
class ConfigurationPlan {
  @Field(() => String, {
    description: 'Digest of the stored configuration. Pass it to `applyConfiguration`.',
  })
  digest!: string;

  @Field(() => [ConfigurationChange], { description: 'Changes, in the order in which they are made.' })
  changes!: ConfigurationChange[];

  @Field(() => [ConfigurationRecord], {
    description:
      'Records that are not in the file, in lists that it has. They are deleted if `prune` is true.',
  })
  notInFile!: ConfigurationRecord[];

  @Field(() => [ConfigurationRefusal], {
    description: 'At most 50. If there is one, the file cannot be applied.',
  })
  refusals!: ConfigurationRefusal[];

  @Field(() => [String], {
    description: 'Sentences about records that no file can hold. They stay as they are.',
  })
  notes!: string[];
}

@ObjectType({ description: 'The result of `applyConfiguration`.', simpleResolvers: true })
class ApplyConfigurationPayload {
  @Field(() => [ID], {
    description: "Ids of the records of the changes that were made, in the plan's order.",
  })
  ids!: string[];

  @Field(() => Int, { description: 'Number of changes that are left: call again for them.' })
  left!: number;

  @Field(() => String, { description: '`digest` of the next call.' })
  digest!: string;
}

@ObjectType({ description: "An account's configuration as a file.", simpleResolvers: true })
class Configuration {
  @Field(() => ConfigurationJson, { description: 'The file: applied to this account, it changes nothing.' })
  file!: object;

  @Field(() => [String], { description: 'Sentences about records that no file can hold.' })
  notes!: string[];
}

const change = ({ recordId, isNew, input, path, ...shown }: PlannedChange): ConfigurationChange => ({
  ...shown,
  path: path?.map(String) ?? null,
  id: isNew ? null : recordId,
});

function shownPlan({ digest, changes, unnamed, refusals, notes }: Plan): ConfigurationPlan {
  const notInFile = unnamed.map(({ recordId, ...record }) => ({ ...record, id: recordId }));
  const refused = refusals.map((refusal) => ({ ...refusal, path: refusal.path.map(String) }));
  return { digest, changes: changes.map(change), notInFile, refusals: refused, notes };
}

@Resolver()
export class ConfigurationResolver {
  readonly #turns = new Turns(COSTLY);

  constructor(
    private readonly pool: pg.Pool,
    private readonly rules: ApplyRules,
  ) {}

  @Allow('configure')
  @Once()
  @Query(() => Configuration, {
    complexity: 1_000,
    description:
      'Games, boards, templates and webhooks of an account as a file for a plan, without ' +
      'secrets and without what has its default. Once per operation.',
  })
  configuration(
    @IdArg('account', 'id', 'The account.') id: string,
    @Arg('isPortable', () => Boolean, {
      defaultValue: false,
      description:
        'True: without slugs of games and short codes, for use with another account of the installation.',
    })
    isPortable: boolean,
    @Ctx() context: Context,
  ) {
    return this.#inTurn(context, () => printConfiguration(context, this.rules, id, isPortable));
  }

  @Allow('configure')
  @Once()
  @Query(() => ConfigurationPlan, {
    complexity: 1_000,
    description:
      "Plans what makes an account's configuration that of a file, by the rules of the writes. Changes " +
      'nothing. Once per operation, and one at a time per account; further ones wait up to two seconds.',
  })
  planConfiguration(
    @Arg('input', () => PlanConfigurationInput, { description: 'The configuration.' })
    input: PlanConfigurationInput,
    @Ctx() context: Context,
  ) {
    return this.#inTurn(context, async () => {
      const plan = await planConfiguration(context, this.rules, input);
      await countScores(this.pool, plan.changes);
      return shownPlan(plan);
    });
  }

  @Allow('configure')
  @Once()
  @Mutation(() => ApplyConfigurationPayload, {
    complexity: 1_000,
    description:
      'Makes the first changes of a plan, at most 50, each as the write of its record. Fails with CONFLICT ' +
      'if the configuration is no longer that of `digest`, and with the refusal of the first change; ' +
      'whoever fails has changed nothing. Call it until nothing is left. Once per operation.',
  })
  applyConfiguration(
    @Arg('input', () => ApplyConfigurationInput, { description: 'The configuration and the planned state.' })
    input: ApplyConfigurationInput,
    @Ctx() context: Context,
  ) {
    return this.#inTurn(context, () => applyConfiguration(context, this.rules, input));
  }

  #inTurn<T>(context: Context, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work, adminOf(context).accountId);
  }
}
