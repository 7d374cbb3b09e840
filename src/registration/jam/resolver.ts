import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { accountById } from '../../accounts/read.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, PageArgs, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg } from '../../graphql/rules.js';
import { CreateJamCodeInput, UpdateJamCodeInput } from './inputs.js';
import { JamCode } from './jam-code.js';
import { jamCodeById, listJamCodes, listRedemptions, loadJamCode } from './read.js';
import { JamCodeRedemption } from './redemption.js';
import { createJamCode, updateJamCode } from './save.js';

export const JamCodeConnection = connectionOf(() => JamCode, 'JamCode');
export const JamCodeRedemptionConnection = connectionOf(() => JamCodeRedemption, 'JamCodeRedemption');

@ObjectType({ description: 'A jam code that was written.', simpleResolvers: true })
class JamCodePayload {
  @Field(() => JamCode, { description: 'The jam code.' })
  jamCode!: JamCode;
}

@Resolver(() => JamCode)
export class JamCodeResolver {
  @Allow('superadmin')
  @Query(() => JamCode, { description: 'One jam code. Superadmins only.' })
  jamCode(@IdArg('jamCode') id: string, @Ctx() context: Context) {
    return loadJamCode(context, id);
  }

  @Allow('superadmin')
  @Query(() => JamCodeConnection, { description: 'Jam codes with their use. Superadmins only.' })
  jamCodes(@Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listJamCodes(context, page);
  }

  @Allow('superadmin')
  @Mutation(() => JamCodePayload, { description: 'Creates a jam code. Superadmins only.' })
  async createJamCode(
    @Arg('input', () => CreateJamCodeInput, { description: 'The jam code.' }) input: CreateJamCodeInput,
    @Ctx() context: Context,
  ) {
    return { jamCode: await createJamCode(context, input) };
  }

  @Allow('superadmin')
  @Mutation(() => JamCodePayload, { description: 'Changes a jam code. Superadmins only.' })
  async updateJamCode(
    @IdArg('jamCode') id: string,
    @Arg('input', () => UpdateJamCodeInput, { description: 'What changes.' }) input: UpdateJamCodeInput,
    @Ctx() context: Context,
  ) {
    return { jamCode: await updateJamCode(context, id, input) };
  }

  @FieldResolver(() => JamCodeRedemptionConnection, { description: 'Its uses, newest first.' })
  redemptions(@Root() jam: JamCode, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
    return listRedemptions(context, page, jam.id);
  }
}

@Resolver(() => JamCodeRedemption)
export class JamCodeRedemptionResolver {
  @FieldResolver(() => JamCode, { nullable: true, description: 'The code that was used.' })
  jamCode(@Root() { jamCodeId }: JamCodeRedemption, @Ctx() context: Context) {
    return context.loaders.of(jamCodeById).load(jamCodeId);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'The account, as long as it is there.' })
  account(@Root() { accountId }: JamCodeRedemption, @Ctx() context: Context) {
    return context.loaders.of(accountById).load(accountId);
  }
}
