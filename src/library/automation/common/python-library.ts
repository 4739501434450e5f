// Results of a Python library that is installed on the machine, such as reclass: a short program reads its input from
// stdin as JSON, and prints JSON.
import { decodeBytes, dumpJson, failure, loadJson, str, type Value } from '../../../data/mod.ts'
import { type DataSourceContext, option } from '../../../sdk/mod.ts'

interface PythonRequest {
  /** Reads its input as `given` and sets `answer`. */
  program: readonly string[]
  given: Value
  /** A folder of the library, in addition to the usual ones. */
  path?: string | undefined
}

const SECONDS = 60

/** Return the answer of a program. An exception of Python is an error with its last line. */
export async function askPython(ctx: DataSourceContext, { program, given, path }: PythonRequest): Promise<Value> {
  const text = ['import json, sys', 'given = json.load(sys.stdin)', ...program, 'json.dump(answer, sys.stdout)'].join(
    '\n',
  )
  const python = str(option(ctx.opts, 'python_executable') ?? 'python3')
  const { retcode, stdout, stderr } = await ctx.host.run({
    argv: [python, '-c', text],
    stdin: dumpJson(given),
    timeout: SECONDS,
    ...(path !== undefined && { env: new Map([['PYTHONPATH', path]]) }),
  })
  if (retcode === 0) return loadJson(decodeBytes(stdout))
  const lines = decodeBytes(stderr).trim().split('\n')
  const problem = lines.at(-1) || `${python} ended with ${retcode}`
  const lacking = /^ModuleNotFoundError: No module named '([\w.]+)'$/.exec(problem)?.[1]
  throw failure(lacking === undefined ? problem : `${problem}; install it for ${python} (option python_executable)`)
}
