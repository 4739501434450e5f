// Certificates that expire soon.
import { X509Certificate } from 'node:crypto'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, isHostError, x509 } from '../../../sdk/mod.ts'
import { extensionTexts } from './certificates/extension-text.ts'

const DEFAULT_DAYS = 45
const DAY_MS = 86_400_000

interface Known {
  cert: X509Certificate
  algorithm: string
  extensions: Dict[]
}

async function certificate(ctx: BeaconContext, path: string): Promise<Known | undefined> {
  try {
    const bytes = await ctx.host.read(path)
    const { loadCertificate, renderExtensions, signatureName } = await x509()
    const cert = new X509Certificate(bytes)
    const { signatureOid, extensions } = loadCertificate(bytes).certificate
    return {
      cert,
      algorithm: signatureName(signatureOid),
      extensions: extensions.flatMap((extension) => extensionTexts(renderExtensions([extension]))),
    }
  } catch (error) {
    if (!isHostError(error) && !(error instanceof Error && 'code' in error)) throw error
    ctx.log('error', `Unable to load certificate ${path} (${error.message})`)
    return undefined
  }
}

/** Parse lines of `CN=web`; commas and similar characters are escaped. */
const namesIn = (text: string): Dict =>
  new Map(
    text.split('\n').map((line) => {
      const end = line.indexOf('=')
      return [line.slice(0, end), line.slice(end + 1).replace(/\\(.)/g, '$1')]
    }),
  )

const written = (names: Dict): string => [...names].map(([key, value]) => `${str(key)}="${str(value)}"`).join(',')

const raw = (date: Date): string => `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
const readable = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`

function factsOf(path: string, { cert, algorithm, extensions }: Known): Dict {
  const [issuer, subject] = [namesIn(cert.issuer), namesIn(cert.subject)]
  const [end, begin] = [new Date(cert.validTo), new Date(cert.validFrom)]
  return new Map<Value, Value>([
    ['cert_path', path],
    ['issuer', written(issuer)],
    ['issuer_dict', issuer],
    ['notAfter_raw', raw(end)],
    ['notAfter', readable(end)],
    ['notBefore_raw', raw(begin)],
    ['notBefore', readable(begin)],
    ['serial_number', BigInt(`0x${cert.serialNumber}`)],
    ['signature_algorithm', algorithm],
    ['subject', written(subject)],
    ['subject_dict', subject],
    ['version', 2],
    ['extensions', extensions],
    ['has_expired', end.getTime() < Date.now()],
  ])
}

/** Return a path with its options. */
function fileOf(entry: Value, days: number): { path: string; days: number } {
  if (!isDict(entry)) return { path: str(entry), days }
  const [path, options] = [...entry][0]!
  const own = isDict(options) ? (numberOf(options.get('notify_days') ?? days) ?? days) : days
  return { path: str(path), days: own }
}

export default defineBeacon({
  name: 'cert_info',
  doc: 'Report certificates that expire within a number of days.',
  validate: (config) =>
    config.has('files') ? undefined : 'Configuration for cert_info beacon must contain files option.',
  beacon: async (ctx, config) => {
    const all = numberOf(config.get('notify_days') ?? DEFAULT_DAYS) ?? DEFAULT_DAYS
    const files = config.get('files') ?? []
    const reports: Dict[] = []
    for (const entry of isList(files) ? [...files] : []) {
      if (!truthy(entry)) continue
      const { path, days } = fileOf(entry, all)
      const known = await certificate(ctx, path)
      if (!known) continue
      const left = Math.floor((new Date(known.cert.validTo).getTime() - Date.now()) / DAY_MS)
      if (days < 0 || left <= days) reports.push(factsOf(path, known))
    }
    return reports.length > 0 ? [new Map<Value, Value>([['certificates', reports]])] : []
  },
})
