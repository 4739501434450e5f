// News of the external pillar that comes from Git.
import { SaltError } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

const failure = (message: string): SaltError => new SaltError('SaltRunnerError', message)

export default defineRunner({
  name: 'git_pillar',
  doc: 'The external pillar from Git.',
  functions: {
    update: masterFn({
      doc: 'Fetches the repositories of the external pillar: true for those with news, false for those that failed.',
      args: {
        branch: arg.any('Only those of this branch', { optional: true }),
        repo: arg.any('Only the one of this URL or name', { optional: true }),
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
