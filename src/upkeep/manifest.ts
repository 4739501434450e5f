// The metadata of an archive: a header in front, so that a foreign or newer archive is refused at once, and at the end
// a list of all files with their hashes.
import { z } from 'zod'
import { UpkeepError } from './errors.ts'

/** The form of archives that this code writes. */
export const ARCHIVE_FORMAT = 1

export const HEAD_FILE = 'brine-backup.json'
export const MANIFEST_FILE = 'brine-manifest.json'

const area = z.object({
  name: z.string().max(40),
  path: z.string().max(4096).startsWith('/'),
  mode: z.int().min(0).max(0o7777),
  owner: z.int().min(0),
})

const head = z.object({
  format: z.int(),
  brine: z.string().max(100),
  salt: z.string().max(100),
  host: z.string().max(255),
  master: z.string().max(255),
  /** When the backup began. Everything that the master acknowledged before is in it. */
  time: z.string().max(40),
  areas: z.array(area).max(1000),
  /** Users and groups of files, by their place here. */
  owners: z.array(z.object({ uid: z.int(), gid: z.int(), user: z.string().optional(), group: z.string().optional() })),
})

const file = z.object({
  path: z.string().max(5000),
  kind: z.enum(['file', 'directory', 'link']),
  size: z.int().min(0),
  sha256: z.string().length(64).optional(),
  mode: z.int().min(0).max(0o7777),
  owner: z.int().min(0),
  link: z.string().max(4096).optional(),
})

const manifest = z.object({
  head,
  files: z.array(file),
  /** The versions of the databases by their paths. */
  databases: z.record(z.string(), z.object({ name: z.string().max(100), version: z.string().max(20) })),
  /** Files that could not be stored, with the reason. */
  skipped: z.array(z.string()),
})

export type ArchiveHead = z.infer<typeof head>
export type ArchivedFile = z.infer<typeof file>
export type Manifest = z.infer<typeof manifest>

export function readArchiveHead(text: string): ArchiveHead {
  const known = parsed(text, head.loose(), HEAD_FILE)
  if (known.format > ARCHIVE_FORMAT) {
    throw new UpkeepError(
      'BadArchive',
      `The archive has form ${known.format}, and this version reads ${ARCHIVE_FORMAT}`,
      {
        hint: `It was made by Brine ${known.brine}: install that version or a newer one`,
      },
    )
  }
  return known
}

export const readManifest = (text: string): Manifest => parsed(text, manifest, MANIFEST_FILE)

function parsed<T>(text: string, schema: z.ZodType<T>, name: string): T {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new UpkeepError('BadArchive', `${name} in the archive is damaged`, { cause: error })
  }
  const result = schema.safeParse(data)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new UpkeepError('BadArchive', `${name} in the archive is damaged: ${issue?.path.join('.')}: ${issue?.message}`)
}
