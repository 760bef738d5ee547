"""The same learning again: what is merged, and what only looks alike."""

import pytest

from bellek.curator import dedupe


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Veritabanı bağlantısı her istekte yeniden açılmalı çünkü havuz dolu", "Veritabanı bağlantısı her istekte yeniden açılmamalı çünkü havuz dolu"),
        ("Dağıtım betiği hata olunca kendiliğinden yeniden denendi", "Dağıtım betiği hata olunca kendiliğinden yeniden denenmedi"),
        ("Önbellek her sürümden önce elle temizlenmiş olacak", "Önbellek her sürümden önce elle temizlenmemiş olacak"),
        ("The release hook does retry failed uploads on the staging host", "The release hook doesn't retry failed uploads on the staging host"),
        ("The staging host can be reached from the build machine over ssh", "The staging host can’t be reached from the build machine over ssh"),
    ],
)  # fmt: skip
def test_a_negated_learning_is_no_twin(one, other):
    """R33: a sentence and its denial are two learnings, however alike their words are, in Turkish and in English."""
    assert not dedupe.same(one, other)
    assert not dedupe.same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Testler her zaman uv ile çalıştırılır, kilit dosyası okunsun", "testler her zaman uv ile çalıştırılır: kilit dosyası okunsun"),
        ("Run the tests through uv so that the lock file is read", "Run the test through uv, so that the lock file is read."),
    ],
)  # fmt: skip
def test_the_same_learning_in_nearly_the_same_words_is_a_twin(one, other):
    """R33: case, punctuation and one ending do not make a second learning."""
    assert dedupe.same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Oturum 1'de adım 0, adım 1'den önce çalıştı", "Oturum 0'da adım 0, adım 1'den önce çalıştı"),
        ("Upgrade the schema from version 4 to version 7 before the import", "Upgrade the schema from version 7 to version 4 before the import"),
        ("Session 1: step 0 runs before step 1", "Session 0: step 0 runs before step 1"),
    ],
)  # fmt: skip
def test_the_order_of_numbers_tells_two_learnings_apart(one, other):
    """R33: the same numbers in another order, or one of them once more, say something else."""
    assert not dedupe.same(one, other)
    assert not dedupe.same(other, one)
