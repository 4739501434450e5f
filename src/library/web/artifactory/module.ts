// Downloads artifacts of Maven repositories from an Artifactory server: a given version, or the latest one. An existing
// file is compared by its checksum first.
import {
  type Dict,
  failure,
  findXml,
  isDict,
  PyError,
  parseXml,
  str,
  type Value,
  type XmlElement,
} from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, ret } from '../../../sdk/mod.ts'

const place = {
  artifactory_url: arg.text('URL of the server, such as https://artifacts.example.com/artifactory'),
  repository: arg.text('Name of the repository'),
  group_id: arg.text('Group of the artifact'),
  artifact_id: arg.text('Name of the artifact'),
  packaging: arg.text('Packaging, such as jar or war'),
}

const target = {
  target_dir: arg.text('Directory of the downloaded file', { default: '/tmp' }),
  target_file: arg.text('Path of the downloaded file. Default: its own name in the directory', { optional: true }),
  classifier: arg.text('Classifier of the artifact', { optional: true }),
  username: arg.text('User at the server', { optional: true }),
  password: arg.text('Password of the user', { optional: true }),
  use_literal_group_id: arg.flag('Keep dots in the group, which are slashes otherwise', { default: false }),
}

const latest = { ...place, ...target }
const version = arg.text('Version of the artifact')
const snapshot = {
  ...place,
  version,
  snapshot_version: arg.text('Version of the snapshot. Default: what the server says', { optional: true }),
  ...target,
}
const release = { ...place, version, ...target }

type Latest = Bound<typeof latest>

interface Answer {
  /** Undefined where the server did not answer. */
  status: number | undefined
  body: Uint8Array
  error: string
}

async function fetchUrl(ctx: FunctionContext, url: string, { username, password }: Latest): Promise<Answer> {
  const query = new Map<string, Value>([
    ['url', url],
    ['decode_body', false],
    ['status', true],
  ])
  if (username && password) query.set('username', username).set('password', password)
  const answer = await ctx.http.query(query)
  const body = answer.get('body') ?? ''
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(str(body))
  const status = Number(answer.get('status') ?? 0)
  const error = answer.has('error') ? str(answer.get('error')!) : ''
  return { status: status === 0 || status === 599 ? undefined : status, body: bytes, error }
}

const text = ({ body }: Answer): string => new TextDecoder().decode(body)

async function requireText(ctx: FunctionContext, url: string, given: Latest): Promise<string> {
  const answer = await fetchUrl(ctx, url, given)
  if (answer.error !== '') throw failure(`Could not fetch data from url: ${url}. ERROR: ${answer.error}`)
  return text(answer)
}

const groupPath = ({ group_id, use_literal_group_id }: Latest): string =>
  use_literal_group_id ? group_id : group_id.replaceAll('.', '/')

const folderOf = (given: Latest): string =>
  `${given.artifactory_url.replace(/\/+$/, '')}/${given.repository}/${groupPath(given)}/${given.artifact_id}`

const textAt = (root: XmlElement, path: string): string =>
  findXml(root, path)
    ?.children.filter((child) => typeof child === 'string')
    .join('')
    .trim() ?? ''

function readXml(source: string, url: string): XmlElement {
  try {
    return parseXml(source)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    throw failure(`The metadata at ${url} is no XML: ${error.message}`)
  }
}

async function latestSnapshot(ctx: FunctionContext, given: Latest): Promise<string> {
  const url = `${folderOf(given)}/maven-metadata.xml`
  const found = textAt(readXml(await requireText(ctx, url, given), url), 'versioning/latest')
  if (found === '') throw failure(`The metadata at ${url} names no latest version`)
  return found
}

async function latestRelease(ctx: FunctionContext, given: Latest): Promise<string> {
  const asked = new URLSearchParams({ g: groupPath(given), a: given.artifact_id, repos: given.repository })
  const url = `${given.artifactory_url.replace(/\/+$/, '')}/api/search/latestVersion?${asked}`
  const found = (await requireText(ctx, url, given)).trim()
  if (found === '') throw failure('Unable to find release version')
  return found
}

/** Return the version of the file of a snapshot; the version itself where the server has no metadata. */
async function snapshotVersion(ctx: FunctionContext, given: Latest, version: string): Promise<string> {
  const url = `${folderOf(given)}/${version}/maven-metadata.xml`
  const answer = await fetchUrl(ctx, url, given)
  if (answer.error !== '') {
    ctx.log('error', `Could not fetch maven-metadata.xml. Assuming snapshot_version=${version}.`)
    return version
  }
  const root = readXml(text(answer), url)
  const all = findXml(root, 'versioning/snapshotVersions')?.children.filter((child) => typeof child !== 'string') ?? []
  const found = all.find(
    (entry) =>
      textAt(entry, 'extension') === given.packaging && textAt(entry, 'classifier') === (given.classifier ?? ''),
  )
  if (found) return textAt(found, 'value')
  const what = `packaging '${given.packaging}'${given.classifier ? ` and classifier '${given.classifier}'` : ''}`
  throw failure(`Cannot find requested ${what} in the snapshot version metadata at ${url}`)
}

/** Return a safe file name: its parts come from servers and arguments, and must not form a path. */
function fileName({ artifact_id, classifier, packaging }: Latest, version: string): string {
  const name = `${artifact_id}-${version}${classifier ? `-${classifier}` : ''}.${packaging}`
  if (/[/\0]/.test(name)) throw failure(`'${name}' is no file name`)
  return name
}

function httpComment(answer: Answer, url: string): string {
  if (answer.status === 409) {
    const why = 'This error may be caused by reading snapshot artifact from non-snapshot repository.'
    return `HTTP Error 409: Conflict. Requested URL: ${url}. \n${why}`
  }
  return answer.status === undefined
    ? `${answer.error}. Request URL: ${url}`
    : `HTTP Error ${answer.status}. Request URL: ${url}`
}

const outcome = (status: boolean, comment: string, more: Record<string, Value> = {}): Dict =>
  new Map<Value, Value>([['status', status], ['changes', new Map()], ['comment', comment], ...Object.entries(more)])

async function save(ctx: FunctionContext, given: Latest, url: string, name: string): Promise<Dict> {
  const file = given.target_file ?? `${given.target_dir.replace(/\/+$/, '')}/${name}`
  let before = ''
  if ((await ctx.host.stat(file))?.type === 'file') {
    const sumUrl = `${url}.sha1`
    const sum = await fetchUrl(ctx, sumUrl, given)
    if (sum.error !== '') return outcome(false, httpComment(sum, sumUrl))
    const isSame = text(sum).trim() === str(await ctx.call('file.get_hash', [file, 'sha1']))
    const told = `File ${file} already exists, checksum`
    if (isSame) {
      return outcome(true, `${told} matches with Artifactory.\nChecksum URL: ${sumUrl}`, { target_file: file })
    }
    before = `${told} does not match with Artifactory!\nChecksum URL: ${sumUrl}`
  }
  const answer = await fetchUrl(ctx, url, given)
  if (answer.error !== '') return outcome(false, httpComment(answer, url))
  await ctx.host.write(file, answer.body)
  const done = outcome(true, `${before}\nArtifact downloaded from URL: ${url}`, { target_file: file })
  const made = done.get('changes')!
  if (isDict(made)) made.set('downloaded_file', file)
  return done
}

const saveVersion = (ctx: FunctionContext, given: Latest, version: string, fileVersion: string): Promise<Dict> => {
  const name = fileName(given, fileVersion)
  return save(ctx, given, `${folderOf(given)}/${version}/${name}`, name)
}

const returns = ret.dict('`status`, `comment`, `changes` and `target_file`')
const example = (fun: string, more = ''): string =>
  `artifactory.${fun} https://artifacts.example.com/artifactory libs com.example shop jar ${more}`.trim()

export default defineModule({
  name: 'artifactory',
  doc: 'Download artifacts from Artifactory.',
  functions: {
    get_latest_snapshot: changes({
      doc: 'Download the latest snapshot of an artifact.',
      args: latest,
      returns,
      example: example('get_latest_snapshot'),
      run: async (ctx, given) => {
        const version = await latestSnapshot(ctx, given)
        return saveVersion(ctx, given, version, await snapshotVersion(ctx, given, version))
      },
    }),
    get_snapshot: changes({
      doc: 'Download a snapshot of an artifact.',
      args: snapshot,
      returns,
      example: example('get_snapshot', '1.0-SNAPSHOT'),
      run: async (ctx, { version, snapshot_version, ...given }) =>
        saveVersion(ctx, given, version, snapshot_version ?? (await snapshotVersion(ctx, given, version))),
    }),
    get_latest_release: changes({
      doc: 'Download the latest release of an artifact.',
      args: latest,
      returns,
      example: example('get_latest_release'),
      run: async (ctx, given) => {
        const version = await latestRelease(ctx, given)
        return saveVersion(ctx, given, version, version)
      },
    }),
    get_release: changes({
      doc: 'Download a release of an artifact.',
      args: release,
      returns,
      example: example('get_release', '1.2'),
      run: (ctx, { version, ...given }) => saveVersion(ctx, given, version, version),
    }),
  },
})
