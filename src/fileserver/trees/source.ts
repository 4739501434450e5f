// The interface of a repository for the backends svnfs and hgfs.

/** The files of an environment at one revision. */
export interface Tree {
  /** Names the content: it becomes the name of a folder, so it is made of letters, digits and dashes. */
  id: string
  /** The data that the source needs to write the files. */
  revision: string
  /** The folder of the repository; empty for the whole. */
  path: string
}

export interface TreeSource {
  /** Whether files can be written without the server, so that they are written at the first use. */
  readonly isLocal: boolean
  /** Ask the server for the trees, by environment. `warn` receives oddities that are no failures. */
  fetch(warn: (text: string) => void): Promise<Map<string, Tree>>
  /** Write the files into a folder that does not exist yet. */
  write(tree: Tree, folder: string): Promise<void>
}
