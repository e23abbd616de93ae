import type { CallTracker } from '../../store/callTracker.js';
import type { Context } from '../../context.js';
import type { MemberExport, NewTeamMember, RemovedMember, TeamMember } from '../../model/team.js';
import { renderMemberExport } from './memberExport.js';
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
 * What an administrator of a team's server does, with the rights of the login that the person chose. Nothing is kept here. Every
 * method throws EngineError invalidInput | notFound | notAllowed | storeUnavailable | storeTooNew.
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
  addMember(member: { readonly team: string; readonly role: string; readonly name: string }): Promise<NewTeamMember> {
    return this.calls.run(() => withConnection(this.ctx, it => addMember(it, member)));
  }

  /** Ends a membership and the login's connections. What the member shared stays the team's. */
  removeMember(member: { readonly team: string; readonly role: string }): Promise<RemovedMember> {
    return this.calls.run(() => withConnection(this.ctx, it => removeMember(it, member)));
  }

  /**
   * What a member shares, as JSON lines that `recollect import` reads: for someone who leaves, or was removed.
   * @returns the lines, and how many memories they are
   */
  exportMember(member: { readonly team: string; readonly role: string }): Promise<MemberExport> {
    return this.calls.run(async () => {
      const memories = await withConnection(this.ctx, it => readMemberMemories(it, member));
      return { memories: memories.length, lines: renderMemberExport(memories, this.ctx.host.now().toISOString()) };
    });
  }

  /** By name, with those who were removed. */
  members(team: string): Promise<readonly TeamMember[]> {
    return this.calls.run(() => withConnection(this.ctx, it => listMembers(it, team)));
  }
}
