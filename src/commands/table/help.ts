export const mainHelp = `
Examples:
  cadre
  cadre -p "why does the build fail?"
  cadre -p "fix the failing test" --permission-mode acceptEdits --allowedTools "Bash(npm test)"
  git diff | cadre -p "review this" --output-format json
  cadre -p -c "and now the docs"
  cadre demo

Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; a local server needs none: --model ollama/qwen3-coder`;

export const trustHelp = `
Until you trust them, only what restricts Cadre takes effect: deny and ask rules, plan
mode. Trust is bound to the content: when a file changes you are asked about it again,
and the others stay trusted. It applies to all later sessions here, including -p.
cadre --trust trusts everything for one run and stores nothing.
`;

export const landHelp = `
Each one lands on top of the previous ones. Work that conflicts, or fails the command in the
setting worktree.gate, stays where it is; the rest lands in one step. Files with
uncommitted changes are never touched. Work that changes protected paths lands
only at a terminal, where you are asked; --yes does not answer that question.
Exit code: 0 all landed, 1 not all, 2 wrong usage.
`;
