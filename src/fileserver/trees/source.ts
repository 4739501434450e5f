// What the backends svnfs and hgfs ask of a repository.

/** The files of an environment at one revision. */
export interface Tree {
  /** Names the content: it becomes the name of a folder, so it is made of letters, digits and dashes. */
  id: string
  /** What the source needs to write the files. */
  revision: string
  /** The folder of the repository; empty for the whole. */
  path: string
}

export interface TreeSource {
  /** Whether files are written without the server, so that they can wait until somebody asks. */
  readonly isLocal: boolean
  /** Ask the server what there is, by environment. What is odd but no failure goes to `warn`. */
  fetch(warn: (text: string) => void): Promise<Map<string, Tree>>
  /** Write the files into a folder that does not exist yet. */
  write(tree: Tree, folder: string): Promise<void>
}
