// The path variables of an SLS or a template: slspath, tpldir and their variants. A path belongs to an SLS file only if
// it ends with the SLS name; other templates that are rendered under an SLS name get the name as `tplfile`.
import { dirname } from 'node:path/posix'

/** `tplpath` is the template's path on disk; without one only the `sls*` variables are known. */
export function slsContext(tplpath: string | undefined, sls: string): Record<string, string> {
  const named = sls.replaceAll('.', '/').replace(/\/+$/, '')
  if (!tplpath) return slsVariables(named)
  const tplfile = fileBelowRoot(tplpath, sls, named)
  if (tplfile === undefined) return { tplpath, tplfile: sls, tpldir: parentOf(sls) }
  const dir = tplfile.includes('/') ? tplfile.slice(0, tplfile.lastIndexOf('/')) : ''
  return { tplpath, tplfile, tpldir: dir || '.', tpldot: dir.replaceAll('/', '.'), ...slsVariables(dir) }
}

function fileBelowRoot(tplpath: string, sls: string, named: string): string | undefined {
  const path = normalized(tplpath)
  if (!sls) return path.slice(path.lastIndexOf('/') + 1)
  for (const ending of [`${named}.sls`, `${named}/init.sls`]) {
    if (path.endsWith(ending)) return ending
  }
  return undefined
}

/** Without doubled slashes, `.` parts and a final slash. */
function normalized(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return path.startsWith('/') ? `/${parts.join('/')}` : parts.join('/') || '.'
}

function parentOf(sls: string): string {
  return dirname(normalized(sls))
}

function slsVariables(slspath: string): Record<string, string> {
  return {
    slspath,
    slsdotpath: slspath.replaceAll('/', '.'),
    slscolonpath: slspath.replaceAll('/', ':'),
    sls_path: slspath.replaceAll('/', '_'),
  }
}
