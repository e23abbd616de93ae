import type { CallTracker } from '../../store/callTracker.js';
import type { Context } from '../../context.js';
import type {
  AdministeredFact,
  AdministeredProject,
  MemberExport,
  NewTeamMember,
  RemovedMember,
  TeamMember,
} from '../../model/team.js';
import { renderMemberExport } from './memberExport.js';
import { changeProject, listFacts, listProjects, removeProject, withdrawFacts } from './projectAdministration.js';
import {
  addMember,
  listMembers,
  makeTeam,
  readMemberMemories,
  removeMember,
  requireTeamName,
} from './teamAdministration.js';
import { withConnection } from './teamSync.js';

/**
 * What an administrator of a team's server does, with the rights of the login that the person chose. Nothing is kept here. Where no
 * team is named, the only one of the server is meant. Every method throws EngineError invalidInput | notFound | notAllowed | storeUnavailable | storeTooNew.
 */
export class TeamServerAdmin {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Makes roles and tables where there are none, and a team of this name. */
  init(name: string): Promise<{ readonly isNew: boolean }> {
    return this.calls.run(() => {
      requireTeamName(name);
      return withConnection(this.ctx, it => makeTeam(it, name));
    });
  }

  /** Makes a login a member, with a new password where the server has no such login. */
  addMember(member: {
    readonly team: string | undefined;
    readonly role: string;
    readonly name: string;
  }): Promise<NewTeamMember> {
    return this.calls.run(() => withConnection(this.ctx, it => addMember(it, member)));
  }

  /** Ends a membership and the login's connections. What the member shared stays the team's. */
  removeMember(member: { readonly team: string | undefined; readonly role: string }): Promise<RemovedMember> {
    return this.calls.run(() => withConnection(this.ctx, it => removeMember(it, member)));
  }

  /**
   * What a member shares, as JSON lines that `recollect import` reads: for someone who leaves, or was removed.
   * @returns the lines, and how many memories they are
   */
  exportMember(member: { readonly team: string | undefined; readonly role: string }): Promise<MemberExport> {
    return this.calls.run(async () => {
      const memories = await withConnection(this.ctx, it => readMemberMemories(it, member));
      return { memories: memories.length, lines: renderMemberExport(memories, this.ctx.host.now().toISOString()) };
    });
  }

  /** By name, with those who were removed. */
  members(team: string | undefined): Promise<readonly TeamMember[]> {
    return this.calls.run(() => withConnection(this.ctx, it => listMembers(it, team)));
  }
  /** By name. */
  projects(team: string | undefined): Promise<readonly AdministeredProject[]> {
    return this.calls.run(() => withConnection(this.ctx, it => listProjects(it, { team })));
  }

  /** Gives a project another name, or says which repository it is. */
  changeProject(change: Parameters<typeof changeProject>[1]): Promise<AdministeredProject> {
    return this.calls.run(() => withConnection(this.ctx, it => changeProject(it, change)));
  }

  /** Deletes a project with all that is shared in it. */
  removeProject(removal: Parameters<typeof removeProject>[1]): Promise<void> {
    return this.calls.run(() => withConnection(this.ctx, it => removeProject(it, removal)));
  }

  /** The facts that a team shares, the newest first. @throws also EngineError ambiguousId */
  facts(choice: Parameters<typeof listFacts>[1]): Promise<readonly AdministeredFact[]> {
    return this.calls.run(() => withConnection(this.ctx, it => listFacts(it, choice)));
  }

  /** Withdraws what any member shared. @returns how many were still there */
  withdraw(facts: readonly AdministeredFact[]): Promise<number> {
    return this.calls.run(() => withConnection(this.ctx, it => withdrawFacts(it, facts)));
  }
}
