// Looking for database instances.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import { unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import type { AwsLogin } from '../common/login.ts'
import { listPages, NO_INSTANCE, rdsOf } from './rds.ts'

export const NAME = arg.text('Name of the instance')
export const FORMER_TAGS = arg.any('Not looked at', { optional: true })

export type Reply = Record<string, Value>

/** Return the instances that a request asks for. */
export async function instances(ctx: FunctionContext, login: AwsLogin, parameters: Parameters): Promise<Dict[]> {
  const pages = (await listPages(rdsOf(ctx, login), 'DescribeDBInstances', parameters)) as Dict[]
  return pages.flatMap((page) => (page.get('DBInstances') ?? []) as Dict[])
}

/** Return an instance; undefined where it does not exist. */
export async function instance(ctx: FunctionContext, login: AwsLogin, name: string): Promise<Dict | undefined> {
  const found = instances(ctx, login, { DBInstanceIdentifier: name })
  return (await unlessFault(found, () => [], NO_INSTANCE))[0]
}
