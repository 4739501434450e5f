// The release data of a version of Brine, in `dist/release.json`, for programs of other versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { brineVersion, SALT_VERSION } from '../base/mod.ts'
import { schemaHeads } from '../store/mod.ts'
import { UpkeepError } from './errors.ts'

/** The version of the protocol between masters and minions beyond Salt's own. Versions with one number understand each other. */
const PROTOCOL = 1

const release = z.object({
  name: z.literal('brine'),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/),
  salt: z.string().max(40),
  protocol: z.int(),
  /** The oldest Node that it runs on. */
  node: z.string().regex(/^\d+\.\d+$/),
  /** The versions of the databases that it writes. */
  databases: z.record(z.string(), z.string().regex(/^\d{1,5}\.\d{1,3}$/)),
})

export type Release = z.infer<typeof release>

/** The file below the directory of a version. */
export const RELEASE_FILE = 'dist/release.json'

/** Return the release data of this version. */
export function ownRelease(): Release {
  return {
    name: 'brine',
    version: brineVersion(),
    salt: SALT_VERSION,
    protocol: PROTOCOL,
    node: '20.19',
    databases: schemaHeads(),
  }
}

/** Read the text of `release.json`; `place` names its package in errors. */
export function readRelease(text: string, place: string): Release {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new UpkeepError('BadPackage', `${RELEASE_FILE} in ${place} is damaged`, { cause: error })
  }
  const result = release.safeParse(data)
  if (result.success) return result.data
  throw new UpkeepError(
    'BadPackage',
    `${place} is no package of Brine: ${RELEASE_FILE}: ${result.error.issues[0]?.message}`,
  )
}

/** Return the release data of the version in a directory. */
export function releaseIn(folder: string): Release {
  let text: string
  try {
    text = readFileSync(join(folder, RELEASE_FILE), 'utf8')
  } catch (error) {
    throw new UpkeepError('BadPackage', `${folder} holds no version of Brine: ${RELEASE_FILE} is missing`, {
      cause: error,
    })
  }
  return readRelease(text, folder)
}
