// Cobbler's data about a system, by the options `cobbler.url`, `cobbler.user` and `cobbler.password`.
import { type Dict, failure, isDict, str, textOf, truthy } from '../../../data/mod.ts'
import type { DataSourceContext } from '../../../sdk/mod.ts'
import { callXmlRpc } from './xmlrpc.ts'

export async function systemData(ctx: DataSourceContext, minionId: string): Promise<Dict> {
  const setting = (name: string): string | undefined => {
    const value = ctx.opts.get(`cobbler.${name}`) ?? null
    return truthy(value) ? str(value) : undefined
  }
  const url = setting('url') ?? 'http://localhost/cobbler_api'
  const user = setting('user')
  if (user !== undefined) await callXmlRpc(ctx, { url, method: 'login', params: [user, setting('password') ?? ''] })
  const data = await callXmlRpc(ctx, { url, method: 'get_blended_data', params: [null, minionId] })
  if (!isDict(data)) throw failure(`Cobbler at ${url} has no data of ${minionId}: ${textOf(data) ?? str(data)}`)
  return data
}
