// Where the lab keeps what is slow to make: roots and packages, each in a folder named after what went into it. A folder
// is made under another name and renamed when it is whole, so what has its name is complete, whoever else builds it too.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.ts'
import { isAlive } from './owner.ts'

export const CACHE = process.env['BRINE_LAB_CACHE'] ?? '/var/cache/brine-lab'

const UNFINISHED = /\.building-(\d+)$/

/** The folder made by `make` from `ingredients`, from the cache if it is there. */
export async function cached(
  kind: string,
  ingredients: unknown,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(ingredients)).digest('hex').slice(0, 12)
  const folder = join(CACHE, `${kind}-${digest}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.building-${process.pid}`
  await removeTree(unfinished)
  mkdirSync(unfinished, { recursive: true })
  try {
    await make(unfinished)
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    await removeTree(unfinished)
  }
  return folder
}

/** Removes what processes that are gone left half built. */
export async function removeUnfinished(): Promise<void> {
  if (!existsSync(CACHE)) return
  for (const name of readdirSync(CACHE)) {
    const pid = UNFINISHED.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await removeTree(join(CACHE, name))
  }
}

/** Removes a tree in which a program that was killed may have left something mounted. */
export async function removeTree(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path === folder || path.startsWith(`${folder}/`))
  for (const path of mounted.reverse()) await run(['umount', '--lazy', path])
  await run(['rm', '-rf', '--one-file-system', folder])
}
