// Paths of the file server. In the address a path with a slash at its end is a folder, any other a file.

/** Return the folder that a path is in, or is: '' for the top, without a slash at its end. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const isFolder = (path: string): boolean => path === '' || path.endsWith('/')

/** Return the folders above a path, outermost first, with their paths in the address. */
export function crumbs(path: string): Array<{ name: string; path: string }> {
  const parts = folderOf(path).split('/').filter(Boolean)
  return parts.map((name, at) => ({ name, path: `${parts.slice(0, at + 1).join('/')}/` }))
}

/** Return the name of a state file as `state.apply` takes it, or undefined for other files. */
export function slsName(path: string): string | undefined {
  if (!path.endsWith('.sls')) return undefined
  return path
    .slice(0, -'.sls'.length)
    .replace(/\/init$/, '')
    .replaceAll('/', '.')
}
