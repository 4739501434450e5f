// Queries to web servers.
import { type Dict, failure, numberOf, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, CA_BUNDLES, changes, defineModule, type FunctionContext, optionalText, ret } from '../../../sdk/mod.ts'

/** Query a URL. Options of the caller override those of the minion. */
async function query(ctx: FunctionContext, url: string, given: ReadonlyMap<string, Value>): Promise<Dict> {
  const own = given.get('opts')
  const opts: Dict = new Map([...ctx.opts, ...(own instanceof Map ? own : [])])
  try {
    return await ctx.http.query(new Map<string, Value>([...given, ['url', url], ['opts', opts]]))
  } catch (error) {
    throw new SaltError('CommandExecutionError', (error as Error).message, { cause: error })
  }
}

/** Seconds between two attempts, by default. */
const PAUSE = 0.1

const isSuccess = (answer: Dict): boolean =>
  !truthy(answer.get('Error') ?? null) && !truthy(answer.get('error') ?? null)

async function waitForSuccess(
  ctx: FunctionContext,
  url: string,
  seconds: number,
  given: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const end = performance.now() + seconds * 1000
  const interval = numberOf(given.get('request_interval') ?? null) ?? PAUSE
  for (;;) {
    const outcome = await query(ctx, url, given).catch((error: unknown) => ({ error }))
    const isAnswer = outcome instanceof Map
    if (isAnswer && isSuccess(outcome)) return outcome
    if (performance.now() > end) {
      if (isAnswer) return outcome
      throw outcome.error
    }
    await new Promise((resolve) => setTimeout(resolve, interval * 1000))
  }
}

/** Return the path of the CA bundle: in the file roots, else of the system. */
async function knownBundle(ctx: FunctionContext): Promise<string | undefined> {
  const roots = ctx.opts.get('file_roots')
  const base = roots instanceof Map ? (roots.get('base') ?? []) : []
  const own = (Array.isArray(base) ? base : []).flatMap((root) =>
    ['cacert.pem', 'ca-bundle.crt'].map((name) => `${str(root)}/${name}`),
  )
  for (const path of [...own, ...CA_BUNDLES]) if (await ctx.host.access(path, 'exists')) return path
  return undefined
}

async function updateBundle(
  ctx: FunctionContext,
  target: string | null,
  source: string | null,
  merged: Value,
): Promise<null> {
  const option = (name: string): Value => ctx.opts.get(name) ?? null
  const path = target ?? textOf(option('ca_bundle')) ?? (await knownBundle(ctx))
  const url = source ?? textOf(option('ca_bundle_url')) ?? 'http://curl.haxx.se/ca/cacert.pem'
  if (path === undefined) throw failure('There is no known place for the CA bundle')
  const answer = await query(ctx, url, new Map<string, Value>([['text_out', path]]))
  if (!isSuccess(answer)) {
    throw failure(`The CA bundle was not updated: ${str(answer.get('error') ?? '')}`)
  }
  const files = merged === null ? [] : Array.isArray(merged) ? merged : [merged]
  for (const file of files) {
    await ctx.host.append(path, `\n${Buffer.from(await ctx.host.read(str(file))).toString()}`)
  }
  return null
}

const url = arg.string('URL')
const kwargs = arg.open(
  'Options of the query: method, params, data, header_dict, username, password, decode, status and others',
)

export default defineModule({
  name: 'http',
  doc: 'Query web servers.',
  functions: {
    query: changes({
      doc: 'Query a URL, and decode the answer.',
      args: { url, kwargs },
      returns: ret.dict('body and the requested parts (status, headers, text, dict); error if the query failed'),
      examples: [
        "salt '*' http.query http://somelink.com/",
        "salt '*' http.query http://somelink.com/ method=POST data='<xml>somecontent</xml>'",
      ],
      run: (ctx, { url, kwargs }) => query(ctx, url, kwargs),
    }),
    wait_for_successful_query: changes({
      doc: 'Query a URL until the query succeeds.',
      args: { url, wait_for: arg.number('Timeout in seconds', { default: 300 }), kwargs },
      returns: ret.dict('The last answer'),
      example: 'http.wait_for_successful_query http://somelink.com/ wait_for=160 request_interval=1',
      run: (ctx, { url, wait_for, kwargs }) => waitForSuccess(ctx, url, numberOf(wait_for)!, kwargs),
    }),
    update_ca_bundle: changes({
      doc: 'Download the bundle of CA certificates.',
      args: {
        target: optionalText('Path of the bundle; default: the option ca_bundle, or the path of the existing bundle'),
        source: arg.text('URL of the bundle; default: the option ca_bundle_url', { optional: true }),
        merge_files: arg.textOrList('File or list of files to append to the bundle', { optional: true }),
      },
      example: 'http.update_ca_bundle source=https://example.com/cacerts.pem',
      run: (ctx, { target, source, merge_files }) => updateBundle(ctx, target, source, merge_files),
    }),
  },
})
