// Subnet groups, option groups and parameter groups of RDS.
import { str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { errorText, isFault, orError, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { NO_PARAMETER_GROUP, NO_SUBNET_GROUP, rdsOf, tagsOf } from './rds.ts'
import { TAGS } from './settings.ts'

const EXISTS = ret.dict('`exists`, or `error`')
const CREATED = ret.dict('`exists` or `created`, or `error`')
const DELETED = ret.dict('`deleted` and `message`, or `error`')
const FORMER_TAGS = arg.any('Not looked at', { optional: true })

interface Kind {
  /** The name of its name in requests. */
  field: string
  list: string
  /** The list in answers. */
  rows: string
  remove: string
  /** The kind in texts. */
  word: string
}

const OPTION_GROUP: Kind = {
  field: 'OptionGroupName',
  list: 'DescribeOptionGroups',
  rows: 'OptionGroupsList',
  remove: 'DeleteOptionGroup',
  word: 'option',
}
const PARAMETER_GROUP: Kind = {
  field: 'DBParameterGroupName',
  list: 'DescribeDBParameterGroups',
  rows: 'DBParameterGroups',
  remove: 'DeleteDBParameterGroup',
  word: 'parameter',
}
const SUBNET_GROUP: Kind = {
  field: 'DBSubnetGroupName',
  list: 'DescribeDBSubnetGroups',
  rows: 'DBSubnetGroups',
  remove: 'DeleteDBSubnetGroup',
  word: 'subnet',
}

type Reply = Record<string, Value>

/** Return whether a group exists. AWS refuses if it does not; substitutes may return an empty list. */
const isThere = (ctx: FunctionContext, login: AwsLogin, { list, field, rows }: Kind, name: string): Promise<boolean> =>
  rdsOf(ctx, login)
    .query(list, { [field]: name })
    .then((answer) => answer.rows(`${list}Result.${rows}`).length > 0)

const found = (ctx: FunctionContext, login: AwsLogin, kind: Kind, name: string): Promise<Reply> =>
  isThere(ctx, login, kind, name).then((exists) => ({ exists }))

/** Return whether a parameter group exists; `error` is AWS's error. */
export const parameterGroup = (ctx: FunctionContext, login: AwsLogin, name: string): Promise<Reply> =>
  unlessFault(
    found(ctx, login, PARAMETER_GROUP, name).then((reply): Reply => ({ ...reply, error: null })),
    (error) => ({ ...(isFault(error, NO_PARAMETER_GROUP) && { exists: false }), error: errorText(error) }),
  )

/** Create a group unless it exists. */
async function create(
  ctx: FunctionContext,
  login: AwsLogin,
  given: { kind: Kind; name: string; action: string; parameters: Parameters; made: Reply },
): Promise<Reply> {
  const { kind, name, action, parameters, made } = given
  if (await unlessFault(isThere(ctx, login, kind, name), () => false)) return { exists: true }
  return orError(
    rdsOf(ctx, login)
      .query(action, { [kind.field]: name, ...parameters })
      .then(() => made),
  )
}

const removing = (kind: Kind) =>
  changes({
    doc: `Delete ${kind.word === 'option' ? 'an' : 'a'} ${kind.word} group.`,
    example: `boto_rds.delete_${kind.word}_group mygroup`,
    args: { name: arg.text(`Name of the ${kind.word} group`), ...LOGIN },
    returns: DELETED,
    run: (ctx, { name, ...login }) =>
      orError(
        rdsOf(ctx, login)
          .query(kind.remove, { [kind.field]: name })
          .then(
            (): Reply => ({
              deleted: true,
              message: `Deleted RDS ${kind.word} group ${name}.`,
            }),
          ),
      ),
  })

export const GROUPS = {
  option_group_exists: reads({
    doc: 'Return whether an option group exists.',
    example: 'boto_rds.option_group_exists mygroup',
    args: { name: arg.text('Name of the option group'), tags: FORMER_TAGS, ...LOGIN },
    returns: EXISTS,
    run: (ctx, { name, tags: _tags, ...login }) => orError(found(ctx, login, OPTION_GROUP, name)),
  }),
  parameter_group_exists: reads({
    doc: 'Return whether a parameter group exists.',
    example: 'boto_rds.parameter_group_exists mygroup',
    args: { name: arg.text('Name of the parameter group'), tags: FORMER_TAGS, ...LOGIN },
    returns: ret.dict('`exists` and `error`'),
    run: (ctx, { name, tags: _tags, ...login }) => parameterGroup(ctx, login, name),
  }),
  subnet_group_exists: reads({
    doc: 'Return whether a subnet group exists.',
    example: 'boto_rds.subnet_group_exists mygroup',
    args: { name: arg.text('Name of the subnet group'), tags: FORMER_TAGS, ...LOGIN },
    returns: EXISTS,
    run: (ctx, { name, tags: _tags, ...login }) =>
      orError(unlessFault(found(ctx, login, SUBNET_GROUP, name), () => ({ exists: false }), NO_SUBNET_GROUP)),
  }),
  create_option_group: changes({
    doc: 'Create an option group.',
    example: "boto_rds.create_option_group mygroup mysql 8.0 'Options of the shop'",
    args: {
      name: arg.text('Name of the option group'),
      engine_name: arg.text('Engine, such as `mysql`'),
      major_engine_version: arg.text('Major version of the engine'),
      option_group_description: arg.text('What it is for'),
      tags: TAGS,
      ...LOGIN,
    },
    returns: CREATED,
    run: (ctx, { name, engine_name, major_engine_version, option_group_description, tags, ...login }) =>
      create(ctx, login, {
        kind: OPTION_GROUP,
        name,
        action: 'CreateOptionGroup',
        parameters: {
          EngineName: engine_name,
          MajorEngineVersion: major_engine_version,
          OptionGroupDescription: option_group_description,
          ...tagsOf(tags),
        },
        made: { exists: true },
      }),
  }),
  create_parameter_group: changes({
    doc: 'Create a parameter group.',
    example: "boto_rds.create_parameter_group mygroup mysql8.0 'Parameters of the shop'",
    args: {
      name: arg.text('Name of the parameter group'),
      db_parameter_group_family: arg.text('Family of engines, such as `mysql8.0`'),
      description: arg.text('What it is for'),
      tags: TAGS,
      ...LOGIN,
    },
    returns: CREATED,
    run: (ctx, { name, db_parameter_group_family, description, tags, ...login }) =>
      create(ctx, login, {
        kind: PARAMETER_GROUP,
        name,
        action: 'CreateDBParameterGroup',
        parameters: {
          DBParameterGroupFamily: db_parameter_group_family,
          Description: description,
          ...tagsOf(tags),
        },
        made: { exists: true, message: `Created RDS parameter group ${name}` },
      }),
  }),
  create_subnet_group: changes({
    doc: 'Create a subnet group.',
    example: "boto_rds.create_subnet_group mygroup 'Subnets of the shop' '[subnet-12345678, subnet-87654321]'",
    args: {
      name: arg.text('Name of the subnet group'),
      description: arg.text('What it is for'),
      subnet_ids: arg.words('Ids of subnets'),
      tags: TAGS,
      ...LOGIN,
    },
    returns: CREATED,
    run: (ctx, { name, description, subnet_ids, tags, ...login }) =>
      create(ctx, login, {
        kind: SUBNET_GROUP,
        name,
        action: 'CreateDBSubnetGroup',
        parameters: {
          DBSubnetGroupDescription: description,
          SubnetIds: { SubnetIdentifier: subnet_ids.map(str) },
          ...tagsOf(tags),
        },
        made: { created: true },
      }),
  }),
  delete_option_group: removing(OPTION_GROUP),
  delete_parameter_group: removing(PARAMETER_GROUP),
  delete_subnet_group: removing(SUBNET_GROUP),
}
