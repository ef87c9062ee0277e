"""Results of several people side by side: submissions, and a static site that checks and ranks them."""

from convergebench.leaderboard.build import BuiltLeaderboard, build_leaderboard
from convergebench.leaderboard.packing import PackedSubmission, digest_of_file, pack_submission

__all__ = ["BuiltLeaderboard", "PackedSubmission", "build_leaderboard", "digest_of_file", "pack_submission"]
