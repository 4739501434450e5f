// The worker's code also runs on targets with an older Python.
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { interpreter, workerFile } from './interpreter.ts'

const CHECK = `
import ast, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    try:
        ast.parse(path.read_text("utf-8"), feature_version=(3, 7))
    except SyntaxError as exc:
        print(path, exc)
`

test('all of it is in the syntax of an old Python', () => {
  const said = execFileSync(interpreter('python3'), ['-c', CHECK, dirname(workerFile())], { encoding: 'utf8' })
  expect(said).toBe('')
})
