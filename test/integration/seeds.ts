// The files of test/seeds as their documents print them, below the directory of a site: paths in them begin there.
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SEEDS = join(import.meta.dirname, '../seeds')

/** Copy the files that a document shows for /srv; files that only other documents name stay. */
export function plant(root: string, document: string): void {
  const from = join(SEEDS, document, 'srv')
  if (existsSync(from)) cpSync(from, join(root, 'srv'), { recursive: true })
}

/** Puts a printed configuration file beside the configuration of a daemon. */
export function configure(root: string, document: string, path: string, folder: string): void {
  const text = readFileSync(join(SEEDS, document, path), 'utf8')
  writeFileSync(join(folder, path.slice(path.lastIndexOf('/') + 1)), text.replaceAll(' /srv/', ` ${root}/srv/`))
}

/** All files of a document, as paths from its root. */
export function printed(document: string, folder = ''): string[] {
  const here = join(SEEDS, document, folder)
  return readdirSync(here).flatMap((name) => {
    const path = join(folder, name)
    return statSync(join(SEEDS, document, path)).isDirectory() ? printed(document, path) : [path]
  })
}
