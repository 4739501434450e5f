// The document of a minion in MongoDB, for pillar and tops. Options `mongo.host`, `mongo.port`, `mongo.user`, `mongo.password` and `mongo.db`
// name the server.
import { type Dict, failure, isDict, isList, PyRegex, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, type DataSourceContext } from '../../../sdk/mod.ts'

export const DOCUMENT_ARGS = {
  id_field: arg.text('Field with the id of the minion', { default: '_id' }),
  re_pattern: arg.text('Regular expression for the part of the id to replace', { optional: true }),
  re_replace: arg.text('Replacement, which may have back references', { default: '' }),
}

type Lookup = Bound<typeof DOCUMENT_ARGS> & { collection: string; minionId: string }

export async function documentOf(ctx: DataSourceContext, lookup: Lookup): Promise<Dict | undefined> {
  const { collection, minionId, id_field, re_pattern, re_replace } = lookup
  const setting = (name: string): string | null => {
    const value = ctx.opts.get(`mongo.${name}`) ?? null
    return truthy(value) ? str(value) : null
  }
  const id = re_pattern ? new PyRegex(re_pattern, 0).sub(re_replace, minionId) : minionId
  const query: Value = [new Map([[id_field, id]])]
  const server = {
    user: setting('user'),
    password: setting('password'),
    host: setting('host'),
    port: setting('port'),
    database: setting('db'),
    authdb: setting('authdb'),
  }
  const found: Value = await ctx.call('mongodb.find', [collection, query], server)
  if (!isList(found)) throw failure(`MongoDB answers: ${str(found)}`)
  return found.find(isDict)
}
