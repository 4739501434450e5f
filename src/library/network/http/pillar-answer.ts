// `http_json` and `http_yaml`: the answer of a web server as pillar. `%s` in the URL is replaced by the minion id, and
// with `with_grains` a name in angle brackets by the value of a grain.
import { withoutLogin } from '../../../base/mod.ts'
import { str, traverse, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, type ExtPillarContext } from '../../../sdk/mod.ts'

export const ANSWER_ARGS = {
  url: arg.text('Address; `%s` stands for the id of the minion, `<grain>` for a grain if `with_grains` is set'),
  with_grains: arg.flag('Whether names in angle brackets are replaced by grains', { default: false }),
  header_dict: arg.dict('Headers of the request', { optional: true }),
  auth: arg.any('Way to authenticate, as of `http.query`', { default: null }),
  username: arg.any('User for basic authentication', { default: null }),
  password: arg.any('Password of the user', { default: null, secret: true }),
}

type AnswerArgs = Bound<typeof ANSWER_ARGS>

/** Size limit for an answer, in bytes. */
const MOST_BYTES = 64 << 20

const quoted = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/')

/** The address; undefined when a grain in it has no value. */
function addressFor({ minionId, grains, log }: ExtPillarContext, args: AnswerArgs): string | undefined {
  let url = args.url.replaceAll('%s', quoted(minionId))
  if (!args.with_grains) return url
  for (const [whole, name] of url.matchAll(/<(.*?)>/g)) {
    const value = traverse(grains, name!, { default: null })
    if (!truthy(value)) {
      log('error', `Unable to get minion '${minionId}' grain: ${name}`)
      return undefined
    }
    // a minion chooses its grains, and must not reach the data of another minion through them
    if (/(^|\/)\.\.?(\/|$)/.test(str(value))) {
      log('error', `The grain ${name} of minion '${minionId}' leads to another folder of the server: nothing is asked`)
      return undefined
    }
    url = url.replaceAll(whole, quoted(str(value)))
  }
  return url
}

/** Return the decoded answer for a minion; after a logged error, an empty dict. */
export async function answerFor(ctx: ExtPillarContext, kind: 'json' | 'yaml', args: AnswerArgs): Promise<Value> {
  const url = addressFor(ctx, args)
  if (url === undefined) return new Map()
  const { header_dict, auth, username, password } = args
  const query = new Map<string, Value>([
    ['url', url],
    ['decode', true],
    ['decode_type', kind],
    ['header_dict', header_dict],
    ['auth', auth],
    ['username', username],
    ['password', password],
    ['max_body', MOST_BYTES],
  ])
  const answer = await ctx.http.query(query)
  const data = answer.get('dict')
  if (data !== undefined) return data
  ctx.log('error', `Error on minion '${ctx.minionId}' http query: ${withoutLogin(url)}`)
  for (const [key, value] of answer) ctx.log('error', `${str(key)}: ${str(value)}`)
  return new Map()
}
