// `npm run docs [-- FOLDER]`: writes the documents as a static site with a search into .brine/docs, or into the named folder. Open its index.html in
// a browser, or let any web server serve the folder.
import { join, relative, resolve } from 'node:path'
import { toError } from '../src/base/mod.ts'
import { buildDocs } from './docs-site/build.ts'

const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, '.brine', 'docs'))
try {
  const { pages, problems } = buildDocs(root, folder)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.stdout.write(`${pages} pages in ${relative(process.cwd(), folder) || '.'}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${toError(error).message}\n`)
  process.exitCode = 1
}
