// Keeps source files small enough to read in one go. Tables of data are exempt, each with its reason.
import { isTest, type SourceFile, sourceFiles } from './source-files.ts'

const CAP = 600

/** Files that are a table rather than code. */
const EXEMPT: Record<string, string> = {
  'src/console/api/schema.d.ts': 'written by tools/console-types.ts',
  'src/loader/module-table.ts': 'written by tools/plugin-table.ts',
  'src/loader/state-table.ts': 'written by tools/plugin-table.ts',
  'src/sdk/calls.ts': 'written by tools/plugin-table.ts',
}

export interface SizeReport {
  problems: string[]
  summary: string
}

export function checkSizes(files: SourceFile[], exempt: Record<string, string> = EXEMPT): SizeReport {
  const problems: string[] = []
  const sizes: number[] = []
  for (const file of files) {
    const lines = file.text.split('\n').length - 1
    if (!isTest(file.path)) sizes.push(lines)
    if (lines > CAP && !(file.path in exempt)) problems.push(`${file.path}: ${lines} lines, the cap is ${CAP}`)
  }
  for (const path of Object.keys(exempt)) {
    if (!files.some((file) => file.path === path)) problems.push(`${path}: is exempt from the size cap but not there`)
  }
  sizes.sort((a, b) => a - b)
  const at = (share: number) => sizes[Math.floor((sizes.length - 1) * share)] ?? 0
  const summary = `${sizes.length} files, lines: median ${at(0.5)}, p90 ${at(0.9)}, largest ${at(1)}`
  return { problems, summary }
}

export function run(root: string): SizeReport {
  return checkSizes(sourceFiles(root, ['src', 'test', 'bench', 'lab', 'tools']))
}
