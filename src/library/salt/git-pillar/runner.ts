// Updates the external pillar from Git.
import { SaltError } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

const failure = (message: string): SaltError => new SaltError('SaltRunnerError', message)

export default defineRunner({
  name: 'git_pillar',
  doc: 'Update the external pillar from Git.',
  functions: {
    update: masterFn({
      doc: 'Fetch the repositories of the external pillar. Return True for an updated repository, False for a failure.',
      args: {
        branch: arg.text('Branch. Default: all', { optional: true }),
        repo: arg.text('URL or name of a repository. Default: all', { optional: true }),
      },
      examples: ["salt-run git_pillar.update branch='master' repo='https://foo.com/bar.git'"],
      run: async (ctx, { branch, repo }) => {
        const updated = await ctx.updateGitPillars({ branch, repo })
        if (updated.size > 0) return updated
        if (branch === null && repo === null) throw failure('No git_pillar remotes are configured')
        throw failure('Specified git branch/repo not found in ext_pillar config')
      },
    }),
  },
})
